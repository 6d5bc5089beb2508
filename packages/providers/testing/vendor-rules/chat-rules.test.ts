import { expect, test } from "vitest";
import { CHAT_MESSAGE_RULES } from "./chat-message-rules.ts";
import { CHAT_PARAMETER_RULES } from "./chat-parameter-rules.ts";
import { CHAT_TEMPLATE_RULES } from "./chat-template-rules.ts";
import { validateChatRequest } from "./index.ts";

const TOOL = { type: "function", function: { name: "read", parameters: { type: "object" } } };
const CALL = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
const OTHER = { ...CALL, id: "call_2" };

const says = (content: unknown) => ({ role: "user", content });
const answers = (content: unknown) => ({ role: "assistant", content });
const calls = (...tool_calls: unknown[]) => ({ role: "assistant", content: null, tool_calls });
const result = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "ok" });
const body = (messages: unknown, more: object = {}) => ({ model: "gpt-4.1", tools: [TOOL], messages, ...more });
const plain = (more: object) => body([says("go")], more);
const image = { type: "image_url", image_url: { url: "https://a.b/c.png" } };

type Row = readonly [rule: string, accepted: unknown, refused: unknown];

/** A body that the vendor takes and one that it refuses, for each rule: from the rule's own source. */
const ROWS: readonly Row[] = [
  ["parameters", plain({ stream: true }), plain({ max_output_tokens: 16 })],
  ["max-tokens", plain({ max_tokens: 1 }), plain({ max_tokens: 0 })],
  ["max-tokens", plain({ max_completion_tokens: 1 }), plain({ max_tokens: 1, max_completion_tokens: 1 })],
  ["max-tokens", plain({ model: "gpt-5.2", max_completion_tokens: 1 }), plain({ model: "gpt-5.2", max_tokens: 1 })],
  ["tools-count", plain({ tools: Array(128).fill(TOOL) }), plain({ tools: Array(129).fill(TOOL) })],
  ["tools-count", plain({ tools: undefined }), plain({ tools: [] })],
  ["tool-shape", plain({}), plain({ tools: [{ type: "function", function: { name: "a.b" } }] })],
  ["tool-shape", plain({}), plain({ tools: [{ type: "function", function: { name: "a".repeat(65) } }] })],
  [
    "tool-shape",
    plain({}),
    plain({ tools: [{ type: "function", function: { name: "read", parameters: { type: "string" } } }] }),
  ],
  ["tool-choice", plain({ tool_choice: "auto" }), plain({ tools: undefined, tool_choice: "auto" })],
  ["stop", plain({ stop: ["a", "b", "c", "d"] }), plain({ stop: ["a", "b", "c", "d", "e"] })],
  [
    "content-type",
    body([says([{ type: "text", text: "x" }, image])]),
    body([{ role: "system", content: [image] }, says("go")]),
  ],
  [
    "content-type",
    body([says("go"), answers([{ type: "text", text: "x" }])]),
    body([says("go"), answers([{ type: "output_text", text: "x" }])]),
  ],
  ["content-type", body([says("go")]), body([says({ text: "go" })])],
  ["content-not-empty-array", body([says("")]), body([says([])])],
  ["name", body([{ ...says("go"), name: "ann" }]), body([{ ...says("go"), name: "ann b" }])],
  [
    "call-shape",
    body([says("go"), calls(CALL), result("call_1")]),
    body([says("go"), calls({ ...CALL, function: { name: "read", arguments: {} } }), result("call_1")]),
  ],
  [
    "call-shape",
    body([says("go"), calls(CALL), result("call_1")]),
    body([says("go"), calls({ ...CALL, type: "tool" }), result("call_1")]),
  ],
  [
    "call-name",
    body([says("go"), calls(CALL), result("call_1")]),
    body([says("go"), calls({ ...CALL, function: { name: "", arguments: "{}" } }), result("call_1")]),
  ],
  [
    "call-id-unique",
    body([says("go"), calls(CALL, OTHER), result("call_1"), result("call_2")]),
    body([says("go"), calls(CALL, CALL), result("call_1")]),
  ],
  [
    "result-once",
    body([says("go"), calls(CALL), result("call_1")]),
    body([says("go"), calls(CALL), result("call_1"), result("call_1")]),
  ],
];

/** The same for servers that render a chat template. */
const TEMPLATE_ROWS: readonly Row[] = [
  ["template-last-role", body([says("go"), calls(CALL), result("call_1")]), body([says("go"), answers("The")])],
  [
    "template-arguments",
    body([says("go"), calls(CALL), result("call_1")]),
    body([says("go"), calls({ ...CALL, function: { name: "read", arguments: "{" } }), result("call_1")]),
  ],
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
  const rules = [...CHAT_PARAMETER_RULES, ...CHAT_MESSAGE_RULES, ...CHAT_TEMPLATE_RULES];
  expect(new Set([...ROWS, ...TEMPLATE_ROWS].map(([rule]) => rule))).toEqual(new Set(rules.map(({ id }) => id)));
  expect(rules.filter(({ source }) => source === "")).toEqual([]);
});
