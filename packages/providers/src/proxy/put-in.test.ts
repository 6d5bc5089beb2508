import { PLIMSOLL_POLICY } from "@plimsoll/core";
import type { WireName } from "@plimsoll/simulator/extend";
import { describe, expect, test } from "vitest";
import { ITEM_FORMS, stepItems } from "../../testing/item-forms.ts";
import { fieldsOf, WIRE_NAMES } from "../../testing/kept-items.ts";
import type { Fields } from "../fields.ts";
import { createPutIn } from "./proxy.ts";
import { WIRES } from "./wires.ts";

const ENVIRONMENT = "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>";
const REMINDER = "<system-reminder>\nUse tabs.\n</system-reminder>";
const INSTRUCTIONS = "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>";
const SESSION = "<session_context>\nToday is Friday. The folder is /w.\n</session_context>";

/** A step's reply and its result, with a person's texts behind it. */
function stepWith(name: WireName, ...texts: readonly string[]): readonly Fields[] {
  const { said } = ITEM_FORMS[name];
  const isBeside = name === "anthropic" || name === "gemini";
  const step = stepItems(name, { id: "a", name: "run", result: "ok", beside: isBeside ? piecesOf(name, texts) : [] });
  return [...step, ...(isBeside ? [] : texts.map(said))].map(fieldsOf);
}

/** Texts as pieces of a wire. */
function piecesOf(name: WireName, texts: readonly string[]): readonly Fields[] {
  if (name === "gemini") return texts.map((text) => ({ text }));
  return texts.map((text) => ({ type: name === "openai-responses" ? "input_text" : "text", text }));
}

/** The authors of the texts in the user's role in a proxy's log of these items, each identified by its beginning. */
async function speakers(name: WireName, histories: readonly (readonly Fields[])[]): Promise<readonly string[]> {
  const { [name]: wire } = WIRES;
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

describe.each(WIRE_NAMES)("on %s", (name) => {
  const said = (...texts: readonly string[]) => {
    const [content, ...more] = name === "openai-chat" ? texts : [];
    return fieldsOf(ITEM_FORMS[name].said(content === undefined || more.length > 0 ? piecesOf(name, texts) : content));
  };
  const step = (...texts: readonly string[]) => stepWith(name, ...texts);
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
      [said("Fix it."), ...step(REMINDER)],
      ["human: Fix it.", "injected: <system-reminder>"],
    ],
    [
      "two reminders",
      [said("Fix it."), ...step(`${REMINDER}\n${REMINDER}`)],
      ["human: Fix it.", "injected: <system-reminder>"],
    ],
  ])("%s, was put in", async (_, items, expected) => {
    expect(await speakers(name, [items])).toEqual(expected);
  });

  test.each([
    ["words behind results", [said("Fix it."), ...step("Stop.")], ["human: Fix it.", "human: Stop."]],
    [
      "words that an agent hands on",
      [said("Fix it."), ...step("<system-reminder>\nThe user sent a new message:\nStop.\n</system-reminder>")],
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
      [said("Go on."), ...step(), said("Go on."), ...step(), said("Go on.")],
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
