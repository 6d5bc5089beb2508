import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import type { Fields } from "../fields.ts";
import { createPutIn } from "./proxy.ts";
import { WIRES as PROXY_WIRES } from "./wires.ts";

const ENVIRONMENT = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>";
const REMINDER = "<system-reminder>\nUse tabs.\n</system-reminder>";
const INSTRUCTIONS = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>";
const SESSION = "<session_context>\nToday is Friday. The folder is /w.\n</session_context>";

/** Texts of a person's in each wire's form, a reply with a call, and its result. */
const WIRES = {
  "openai-responses": {
    said: (...texts: string[]) => ({
      type: "message",
      role: "user",
      content: texts.map((text) => ({ type: "input_text", text })),
    }),
    reply: { type: "function_call", call_id: "a", name: "run", arguments: "{}" },
    result: (...texts: string[]): Fields[] => [
      { type: "function_call_output", call_id: "a", output: "ok" },
      ...texts.map((text) => ({ role: "user", content: text })),
    ],
  },
  "openai-chat": {
    said: (...texts: string[]) => ({
      role: "user",
      content: texts.length === 1 ? texts[0] : texts.map((text) => ({ type: "text", text })),
    }),
    reply: { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "run", arguments: "{}" } }] },
    result: (...texts: string[]): Fields[] => [
      { role: "tool", tool_call_id: "a", content: "ok" },
      ...texts.map((text) => ({ role: "user", content: text })),
    ],
  },
  anthropic: {
    said: (...texts: string[]) => ({ role: "user", content: texts.map((text) => ({ type: "text", text })) }),
    reply: { role: "assistant", content: [{ type: "tool_use", id: "a", name: "run", input: {} }] },
    result: (...texts: string[]): Fields[] => [
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }, ...texts.map((text) => ({ type: "text", text }))],
      },
    ],
  },
  gemini: {
    said: (...texts: string[]) => ({ role: "user", parts: texts.map((text) => ({ text })) }),
    reply: { role: "model", parts: [{ functionCall: { name: "run", args: {} } }] },
    result: (...texts: string[]): Fields[] => [
      {
        role: "user",
        parts: [{ functionResponse: { name: "run", response: { output: "ok" } } }, ...texts.map((text) => ({ text }))],
      },
    ],
  },
} as const;

type WireName = keyof typeof WIRES;

/** The authors of the texts in the user's role in a proxy's log of these items, each identified by its beginning. */
async function speakers(name: WireName, histories: readonly (readonly Fields[])[]): Promise<readonly string[]> {
  const { [name]: wire } = PROXY_WIRES;
  const putIn = createPutIn();
  const options = { policy: PLIMSOLL_POLICY, limits: { contextWindowTokens: 200_000, maxOutputTokens: 2_000 } };
  const compactor = putIn.watched(wire.compactor({ ...options, isInjected: putIn.isInjected }), wire);
  for (const items of histories) await compactor.fit(items, {});
  const log = await compactor.logOf(histories.at(-1) ?? [], {});
  return log.entries.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "user") return [];
    const [part] = entry.message.parts;
    return [`${entry.message.origin}: ${part?.type === "text" ? part.text.split("\n")[0] : ""}`];
  });
}

describe.each(["openai-responses", "openai-chat", "anthropic", "gemini"] as const)("on %s", (name) => {
  const { said, reply, result } = WIRES[name];
  test.each([
    [
      "what surrounds the session, before the person's words, as Codex",
      [said(ENVIRONMENT), said("Fix it.")],
      ["injected: <environment_context>", "human: Fix it."],
    ],
    [
      "a file of instructions beside it, as Codex",
      [said(INSTRUCTIONS, ENVIRONMENT), said("Fix it.")],
      ["injected: # AGENTS.md instructions for /w", "human: Fix it."],
    ],
    [
      "the same as two messages",
      [said(INSTRUCTIONS), said(ENVIRONMENT), said("Fix it.")],
      ["injected: # AGENTS.md instructions for /w", "injected: <environment_context>", "human: Fix it."],
    ],
    ["the session's, as Gemini CLI", [said(SESSION), said("Fix it.")], ["injected: <session_context>", "human: Fix it."]],
    [
      "a reminder behind results, as Claude Code",
      [said("Fix it."), reply, ...result(REMINDER)],
      ["human: Fix it.", "injected: <system-reminder>"],
    ],
    [
      "two reminders",
      [said("Fix it."), reply, ...result(`${REMINDER}\n${REMINDER}`)],
      ["human: Fix it.", "injected: <system-reminder>"],
    ],
  ])("%s, was put in", async (_, items, expected) => {
    expect(await speakers(name, [items])).toEqual(expected);
  });

  test.each([
    ["words behind results", [said("Fix it."), reply, ...result("Stop.")], ["human: Fix it.", "human: Stop."]],
    [
      "words that an agent hands on",
      [said("Fix it."), reply, ...result("<system-reminder>\nThe user sent a new message:\nStop.\n</system-reminder>")],
      ["human: Fix it.", "human: <system-reminder>"],
    ],
    [
      "an element with words before it",
      [said(`What is this?\n${ENVIRONMENT}`), said("Fix it.")],
      ["human: What is this?", "human: Fix it."],
    ],
    ["an element with words behind it, as OpenCode's", [said(REMINDER, "Fix it.")], ["human: <system-reminder>"]],
    ["an element alone", [said(ENVIRONMENT)], ["human: <environment_context>"]],
    [
      "a page's element",
      [said("<task-list>\n<li>one</li>\n</task-list>"), said("Fix it.")],
      ["human: <task-list>", "human: Fix it."],
    ],
    [
      "a wrapped task",
      [said("<task_description>\nFix it.\n</task_description>"), said("Begin.")],
      ["human: <task_description>", "human: Begin."],
    ],
    [
      "a wrapped question",
      [said(ENVIRONMENT), said("<user_query>\nFix it.\n</user_query>")],
      ["injected: <environment_context>", "human: <user_query>"],
    ],
    [
      "an element that does not end",
      [said("<environment_context>\n x"), said("Fix it.")],
      ["human: <environment_context>", "human: Fix it."],
    ],
    [
      "a heading with an element, behind the beginning",
      [said(ENVIRONMENT), said("# Page\n<HTML>x</HTML>"), said("Fix it.")],
      ["injected: <environment_context>", "human: # Page", "human: Fix it."],
    ],
    [
      "the same words at every turn",
      [said("Go on."), reply, ...result(), said("Go on."), reply, ...result(), said("Go on.")],
      ["human: Go on.", "human: Go on.", "human: Go on."],
    ],
  ])("%s, stays the person's", async (_, items, expected) => {
    expect(await speakers(name, [items])).toEqual(expected);
  });

  test("what was the person's when it was met stays so, whatever comes beside it", async () => {
    const [alone, both] = [[said(ENVIRONMENT)], [said(ENVIRONMENT), said("Fix it.")]];
    expect(await speakers(name, [alone, both])).toEqual(["human: <environment_context>", "human: Fix it."]);
  });
});
