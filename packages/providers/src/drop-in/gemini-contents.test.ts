import type { Content, FunctionResponse, Part } from "@google/genai";
import { type AssistantMessage, NONE_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { changedContent } from "./gemini-contents.ts";
import { createContentsCompactor } from "./google-genai.ts";

const limits = { contextWindowTokens: 200_000, maxOutputTokens: 2_000 };

function call(name: string, step = 0): Part {
  return { functionCall: { name, args: { step } } };
}

function answer(name: string, response: FunctionResponse["response"] = { output: `of ${name}` }): Part {
  return { functionResponse: { name, response } };
}

const model = (...parts: Part[]): Content => ({ role: "model", parts });
const user = (...parts: Part[]): Content => ({ role: "user", parts });

/** The entries' messages that a fresh compactor reads from the contents. */
async function messagesOf(contents: readonly Content[]) {
  const compactor = createContentsCompactor({ policy: NONE_POLICY, limits, nowMs: () => 0 });
  await compactor.fit(contents);
  const [{ entries = [] } = {}] = compactor.conversations();
  return entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
}

const go = user({ text: "go" });

test.each<readonly [string, readonly Content[], readonly number[]]>([
  ["answers in the calls' order", [model(call("a"), call("b")), user(answer("a"), answer("b"))], [0, 1]],
  ["answers in another order are found by their names", [model(call("a"), call("b")), user(answer("b"), answer("a"))], [1, 0]],
  ["calls of one name are answered in turn", [model(call("a"), call("a", 1)), user(answer("a"), answer("a"))], [0, 1]],
  ["answers of one batch in two contents", [model(call("a"), call("a", 1)), user(answer("a")), user(answer("a"))], [0, 1]],
])("%s", async (_, contents, expected) => {
  const messages = await messagesOf([go, ...contents]);
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.parts : []));
  const callIds = calls.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
  const answered = messages.flatMap((message) => (message.role === "tool-result" ? [callIds.indexOf(message.callId)] : []));
  expect(answered).toEqual(expected);
});

test("calls without ids get the same ids each time that the same history is read, and no two of them one", async () => {
  const turn: readonly Content[] = [model(call("a"), call("a")), user(answer("a"), answer("a"))];
  const contents = [go, ...turn, ...turn];
  const [once, again] = [await messagesOf(contents), await messagesOf(structuredClone(contents))];
  expect(again).toEqual(once);
  const answered = once.flatMap((message) => (message.role === "tool-result" ? [message.callId] : []));
  expect(new Set(answered).size).toBe(4);
});

test.each<readonly [string, FunctionResponse["response"], string]>([
  ["the vendor's key", { output: "said" }, "said"],
  ["any other key", { content: "said" }, "said"],
  ["two keys", { output: "said", code: 0 }, '{"output":"said","code":0}'],
  ["a key without text", { output: { lines: 2 } }, '{"output":{"lines":2}}'],
])("an answer under %s is read", async (_, response, text) => {
  const messages = await messagesOf([go, model(call("a")), user(answer("a", response))]);
  expect(messages.at(-1)?.parts).toEqual([{ type: "text", text }]);
});

const [THOUGHT, SAID] = [{ text: "hm", thought: true }, { text: "First this." }];
const SECOND = { functionCall: { name: "b", args: {} } };
const CUT = { functionCall: { name: "a", args: { long: "x…" } }, thoughtSignature: "c2VhbGVk" };
const signed: Content = {
  role: "model",
  parts: [
    THOUGHT,
    SAID,
    { functionCall: { name: "a", args: { long: "x".repeat(100) } }, thoughtSignature: "c2VhbGVk" },
    SECOND,
  ],
};
const said = { type: "text", text: "First this." } as const;
const toolCall = (toolName: string, argumentsJson: string) =>
  ({ type: "tool-call", callId: toolName, toolName, argumentsJson, paths: [] }) as const;
const calls = [toolCall("a", '{"long":"x…"}'), toolCall("b", "{}")];
const viewedAs = (...parts: AssistantMessage["parts"]): AssistantMessage => {
  return { role: "assistant", id: "m", origin: "model", parts, modelId: null, requestId: null, stopReason: null, atMs: null };
};

test.each<readonly [string, AssistantMessage, readonly Part[] | null]>([
  [
    "its arguments are shortened",
    viewedAs({ type: "reasoning", text: "hm", opaque: null }, said, ...calls),
    [THOUGHT, SAID, CUT, SECOND],
  ],
  ["its thoughts are gone", viewedAs(said, ...calls), [SAID, CUT, SECOND]],
  ["a call is gone", viewedAs(toolCall("b", "{}")), null],
])("a reply's calls keep their thought signatures if %s", (_, viewed, parts) => {
  expect(changedContent(signed, [viewed])).toEqual(parts === null ? null : { role: "model", parts });
});

test("each answer of a turn is changed by its own result, and the words between them stay", () => {
  const seen = { isError: false, category: "generic", atMs: null } as const;
  const viewed = ["of a", "less"].map((text, at) => {
    return { role: "tool-result", id: `${at}`, callId: "c", toolName: "", parts: [{ type: "text", text }], ...seen } as const;
  });
  const { parts } = changedContent(user(answer("a"), { text: "words" }, answer("b")), viewed) ?? {};
  expect(parts).toEqual([answer("a"), { text: "words" }, answer("b", { output: "less" })]);
});
