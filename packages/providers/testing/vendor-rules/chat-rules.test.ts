import { expect, test } from "vitest";
import { CHAT_MESSAGE_RULES } from "./chat-message-rules.ts";
import { CHAT_TEMPLATE_RULES } from "./chat-template-rules.ts";
import { validateChatRequest } from "./index.ts";

const CALL = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
const OTHER = { ...CALL, id: "call_2" };

const says = (content: unknown) => ({ role: "user", content });
const answers = (content: unknown) => ({ role: "assistant", content });
const calls = (...tool_calls: unknown[]) => ({ role: "assistant", content: null, tool_calls });
const result = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "ok" });
const body = (...messages: unknown[]) => ({ model: "gpt-4.1", messages: [says("go"), ...messages] });
const round = (call: object = CALL) => body(calls(call), result("call_1"));
const image = { type: "image_url", image_url: { url: "https://a.b/c.png" } };

type Row = readonly [rule: string, accepted: unknown, refused: unknown];

/** A body that the vendor takes and one that it refuses, for each rule: from the rule's own source. */
const ROWS: readonly Row[] = [
  ["content-type", body(says([{ type: "text", text: "x" }, image])), body({ role: "system", content: [image] })],
  ["content-type", body(answers([{ type: "text", text: "x" }])), body(answers([{ type: "output_text", text: "x" }]))],
  ["content-type", body(), body(says({ text: "go" }))],
  ["content-not-empty-array", body(says("")), body(says([]))],
  ["call-shape", round(), round({ ...CALL, function: { name: "read", arguments: {} } })],
  ["call-shape", round(), round({ ...CALL, type: "tool" })],
  ["call-name", round(), round({ ...CALL, function: { name: "", arguments: "{}" } })],
  ["call-id-unique", body(calls(CALL, OTHER), result("call_1"), result("call_2")), body(calls(CALL, CALL), result("call_1"))],
  ["result-once", round(), body(calls(CALL), result("call_1"), result("call_1"))],
];

/** The same for servers that render a chat template. */
const TEMPLATE_ROWS: readonly Row[] = [
  ["template-last-role", round(), body(answers("The"))],
  ["template-arguments", round(), round({ ...CALL, function: { name: "read", arguments: "{" } })],
];

test.each(ROWS)("%s: a body as documented is taken, one that breaks it is refused", (rule, accepted, refused) => {
  expect(validateChatRequest(accepted)).toEqual([]);
  expect(validateChatRequest(refused).map((violation) => violation.rule)).toContain(rule);
});

test.each(TEMPLATE_ROWS)("%s: what a template cannot render, OpenAI takes", (rule, accepted, refused) => {
  expect(validateChatRequest(accepted, { turns: "alternating" })).toEqual([]);
  expect(validateChatRequest(refused, { turns: "alternating" }).map((violation) => violation.rule)).toContain(rule);
  expect(validateChatRequest(refused)).toEqual([]);
});

test("every rule has a row and a source", () => {
  const rules = [...CHAT_MESSAGE_RULES, ...CHAT_TEMPLATE_RULES];
  expect(new Set([...ROWS, ...TEMPLATE_ROWS].map(([rule]) => rule))).toEqual(new Set(rules.map(({ id }) => id)));
  expect(rules.filter(({ source }) => source === "")).toEqual([]);
});
