import { expect, test } from "vitest";
import { validateResponsesRequest } from "./index.ts";
import { RESPONSES_ITEM_RULES } from "./responses-item-rules.ts";
import { RESPONSES_PARAMETER_RULES } from "./responses-parameter-rules.ts";

const RULES = [...RESPONSES_PARAMETER_RULES, ...RESPONSES_ITEM_RULES];
const TOOL = { type: "function", name: "read", parameters: { type: "object" }, strict: false };
const REASONING = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
const CALL = { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: "{}" };
const OUTPUT = { type: "function_call_output", call_id: "call_1", output: "ok" };
const CUSTOM = { type: "custom_tool_call", call_id: "call_3", name: "apply_patch", input: "*** Begin Patch" };
const PATCHED = { type: "custom_tool_call_output", call_id: "call_3", output: "Done." };
const _SHELL = { type: "local_shell_call", id: "lsh_1", call_id: "call_4", status: "completed", action: { type: "exec" } };
const REPLY = {
  type: "message",
  role: "assistant",
  id: "msg_1",
  status: "completed",
  content: [{ type: "output_text", text: "x", annotations: [] }],
};
const ASKED = { role: "user", content: [{ type: "input_text", text: "go" }] };

const body = (input: unknown, more: object = {}) => ({ model: "gpt-5.2", tools: [TOOL], input, ...more });
const plain = (more: object) => body([ASKED], more);
const round = (call: object = {}, output: object = {}) => body([ASKED, { ...CALL, ...call }, { ...OUTPUT, ...output }]);
const _long = (count: number) => round({ call_id: "a".repeat(count) }, { call_id: "a".repeat(count) });

/** A body that the vendor takes and one that it refuses, for each rule: from the rule's own source. */
const ROWS: readonly (readonly [rule: string, accepted: unknown, refused: unknown])[] = [
  ["parameters", plain({ store: false }), plain({ max_tokens: 16 })],
  ["max-output-tokens", plain({ max_output_tokens: 16 }), plain({ max_output_tokens: 15 })],
  ["tools-count", plain({ tools: Array(128).fill(TOOL) }), plain({ tools: Array(129).fill(TOOL) })],
  ["tool-shape", plain({}), plain({ tools: [{ type: "function", function: { name: "read" } }] })],
  ["tool-shape", plain({ tools: [{ type: "web_search" }] }), plain({ tools: [{ name: "read" }] })],
  ["item-fields", body([ASKED, REASONING, REPLY]), body([ASKED, { ...REASONING, status: null }, REPLY])],
  ["item-fields", body([ASKED]), body([{ ...ASKED, name: "ann" }])],
  ["message-content", body([ASKED, REPLY]), body([ASKED, { ...REPLY, content: ASKED.content }])],
  ["message-content", body([{ role: "assistant", content: "x" }, ASKED]), body([{ ...ASKED, content: REPLY.content }])],
  ["message-content", body([ASKED]), body([{ role: "user", content: [{ type: "text", text: "go" }] }])],
  ["message-content", body([ASKED]), body([{ role: "user" }])],
  ["id-prefix", round(), round({ id: "call_1" })],
  ["id-prefix", body([ASKED, REPLY]), body([ASKED, { ...REPLY, id: "item_1" }])],
  ["id-pattern", round({ id: undefined }), round({ id: "" })],
  ["id-pattern", body([ASKED, REPLY]), body([ASKED, { ...REPLY, id: "msg-92Y7" }])],
  ["id-pattern", round({ id: `fc_${"a".repeat(61)}` }), round({ id: `fc_${"a".repeat(62)}` })],
  ["call-name", round(), round({ name: "a b" })],
  [
    "call-id-unique",
    body([ASKED, CALL, { ...CALL, id: "fc_2", call_id: "call_2" }, OUTPUT, { ...OUTPUT, call_id: "call_2" }]),
    body([ASKED, CALL, { ...CALL, id: "fc_2" }, OUTPUT]),
  ],
  ["item-fields", body([ASKED, CUSTOM, PATCHED]), body([ASKED, { ...CUSTOM, arguments: "{}" }, PATCHED])],
  ["reasoning-shape", body([ASKED, REASONING, REPLY]), body([ASKED, { ...REASONING, summary: undefined }, REPLY])],
];

test.each(ROWS)("%s: a body as documented is taken, one that breaks it is refused", (rule, accepted, refused) => {
  expect(validateResponsesRequest(accepted)).toEqual([]);
  expect(validateResponsesRequest(refused).map((violation) => violation.rule)).toContain(rule);
});

test("every rule has a row and a source", () => {
  expect(new Set(ROWS.map(([rule]) => rule))).toEqual(new Set(RULES.map(({ id }) => id)));
  expect(RULES.filter(({ source }) => source === "")).toEqual([]);
});
