import { expect, test } from "vitest";
import { reasonedItems, validateResponsesRequest } from "./index.ts";
import { RESPONSES_ITEM_RULES } from "./responses-item-rules.ts";
import { RESPONSES_NEEDED_RULES } from "./responses-needed-rules.ts";
import { RESPONSES_PARAMETER_RULES } from "./responses-parameter-rules.ts";

const RULES = [...RESPONSES_PARAMETER_RULES, ...RESPONSES_ITEM_RULES, ...RESPONSES_NEEDED_RULES];
const TOOL = { type: "function", name: "read", parameters: { type: "object" }, strict: false };
const REASONING = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
const CALL = { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: "{}" };
const OUTPUT = { type: "function_call_output", call_id: "call_1", output: "ok" };
const CUSTOM = { type: "custom_tool_call", call_id: "call_3", name: "apply_patch", input: "*** Begin Patch" };
const PATCHED = { type: "custom_tool_call_output", call_id: "call_3", output: "Done." };
const SHELL = { type: "local_shell_call", id: "lsh_1", call_id: "call_4", status: "completed", action: { type: "exec" } };
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
const long = (count: number) => round({ call_id: "a".repeat(count) }, { call_id: "a".repeat(count) });

/** A body that the vendor takes and one that it refuses, for each rule: from the rule's own source. */
const ROWS: readonly (readonly [rule: string, accepted: unknown, refused: unknown])[] = [
  ["body", plain({}), 7],
  ["well-formed", body("whole \u{1F600}"), body("half \uDE00")],
  ["parameters", plain({ store: false }), plain({ max_tokens: 16 })],
  ["model", plain({}), plain({ model: undefined })],
  ["input-present", body("go"), body("")],
  ["input-present", body([ASKED]), body([])],
  ["input-present", body([], { previous_response_id: "resp_1" }), body({ role: "user" })],
  ["max-output-tokens", plain({ max_output_tokens: 16 }), plain({ max_output_tokens: 15 })],
  ["tools-count", plain({ tools: Array(128).fill(TOOL) }), plain({ tools: Array(129).fill(TOOL) })],
  ["tool-shape", plain({}), plain({ tools: [{ type: "function", function: { name: "read" } }] })],
  ["tool-shape", plain({ tools: [{ type: "web_search" }] }), plain({ tools: [{ name: "read" }] })],
  ["item-type", body([ASKED]), body([{ type: "tool_use" }])],
  ["item-fields", body([ASKED, REASONING, REPLY]), body([ASKED, { ...REASONING, status: null }, REPLY])],
  ["item-fields", body([ASKED]), body([{ ...ASKED, name: "ann" }])],
  ["message-role", body([{ ...ASKED, role: "developer" }]), body([{ ...ASKED, role: "tool" }])],
  ["message-content", body([ASKED, REPLY]), body([ASKED, { ...REPLY, content: ASKED.content }])],
  ["message-content", body([{ role: "assistant", content: "x" }, ASKED]), body([{ ...ASKED, content: REPLY.content }])],
  ["message-content", body([ASKED]), body([{ role: "user", content: [{ type: "text", text: "go" }] }])],
  ["message-content", body([ASKED]), body([{ role: "user" }])],
  ["id-prefix", round(), round({ id: "call_1" })],
  ["id-prefix", body([ASKED, REPLY]), body([ASKED, { ...REPLY, id: "item_1" }])],
  ["id-pattern", round({ id: undefined }), round({ id: "" })],
  ["id-pattern", body([ASKED, REPLY]), body([ASKED, { ...REPLY, id: "msg-92Y7" }])],
  ["id-pattern", round({ id: `fc_${"a".repeat(61)}` }), round({ id: `fc_${"a".repeat(62)}` })],
  ["id-unique", body([ASKED, REPLY, ASKED, { ...REPLY, id: "msg_2" }]), body([ASKED, REPLY, ASKED, REPLY])],
  ["call-shape", round(), round({ arguments: {} })],
  ["call-shape", round({}, { output: [{ type: "input_text", text: "x" }] }), round({}, { output: undefined })],
  ["call-name", round(), round({ name: "a b" })],
  ["call-id-length", long(64), long(65)],
  ["call-id-length", round(), round({ call_id: "" }, { call_id: "" })],
  [
    "call-id-unique",
    body([ASKED, CALL, { ...CALL, id: "fc_2", call_id: "call_2" }, OUTPUT, { ...OUTPUT, call_id: "call_2" }]),
    body([ASKED, CALL, { ...CALL, id: "fc_2" }, OUTPUT]),
  ],
  ["call-answered", round(), body([ASKED, CALL, ASKED])],
  ["call-answered", body([ASKED, CUSTOM, PATCHED]), body([ASKED, CUSTOM, ASKED])],
  ["call-answered", body([ASKED, SHELL, { ...OUTPUT, call_id: "call_4" }]), body([ASKED, SHELL, ASKED])],
  ["call-answered", body([ASKED, CUSTOM, PATCHED]), body([ASKED, CUSTOM, { ...OUTPUT, call_id: "call_3" }])],
  ["call-shape", body([ASKED, CUSTOM, PATCHED]), body([ASKED, { ...CUSTOM, input: undefined }, PATCHED])],
  ["call-id-length", body([ASKED, CUSTOM, PATCHED]), body([ASKED, { ...CUSTOM, call_id: "" }, { ...PATCHED, call_id: "" }])],
  ["item-fields", body([ASKED, CUSTOM, PATCHED]), body([ASKED, { ...CUSTOM, arguments: "{}" }, PATCHED])],
  ["output-called", body([ASKED, CUSTOM, PATCHED]), body([ASKED, PATCHED])],
  ["reasoning-followed", body([ASKED, { ...REASONING, id: undefined }, ASKED]), body([ASKED, REASONING, PATCHED])],
  ["output-called", round(), body([ASKED, OUTPUT])],
  ["output-called", body([{ type: "item_reference", id: "fc_1" }, OUTPUT]), body([OUTPUT, CALL])],
  ["output-called", body([OUTPUT], { previous_response_id: "resp_1" }), body([OUTPUT])],
  ["reasoning-shape", body([ASKED, REASONING, REPLY]), body([ASKED, { ...REASONING, summary: undefined }, REPLY])],
  ["reasoning-followed", body([ASKED, REASONING, CALL, OUTPUT]), body([ASKED, REASONING])],
  ["reasoning-followed", body([ASKED, REASONING, { ...REASONING, id: "rs_2" }, REPLY]), body([ASKED, REASONING, ASKED])],
  ["reasoning-followed", body([ASKED, REASONING, REPLY]), body([ASKED, CALL, REASONING, OUTPUT])],
  [
    "store-off",
    body([ASKED, REASONING, REPLY], { store: false }),
    body([ASKED, { ...REASONING, encrypted_content: null }, REPLY], { store: false }),
  ],
  [
    "store-off",
    body([{ type: "item_reference", id: "msg_1" }, ASKED]),
    body([{ type: "item_reference", id: "msg_1" }, ASKED], { store: false }),
  ],
];

test.each(ROWS)("%s: a body as documented is taken, one that breaks it is refused", (rule, accepted, refused) => {
  expect(validateResponsesRequest(accepted)).toEqual([]);
  expect(validateResponsesRequest(refused).map((violation) => violation.rule)).toContain(rule);
});

test.each([
  ["with its reasoning", [ASKED, REASONING, CALL, OUTPUT], []],
  ["without its id", [ASKED, { ...CALL, id: undefined }, OUTPUT], []],
  ["without its reasoning", [ASKED, CALL, OUTPUT], ["reasoning-before"]],
])("reasoning-before: an item that the vendor gave after reasoning, sent %s", (_, input, rules) => {
  const reasonedBy = reasonedItems({ output: [REASONING, CALL, { ...CALL, id: "fc_2" }] });
  expect([...reasonedBy]).toEqual([["fc_1", "rs_1"]]);
  expect(validateResponsesRequest(body(input), { reasonedBy }).map(({ rule }) => rule)).toEqual(rules);
});

test("every rule has a row and a source", () => {
  const rows = new Set([...ROWS.map(([rule]) => rule), "reasoning-before"]);
  expect(rows).toEqual(new Set(RULES.map(({ id }) => id)));
  expect(RULES.filter(({ source }) => source === "")).toEqual([]);
});

test.each([[null], [7], [{}], [{ input: 7 }], [{ input: [null, 7, []] }], [{ input: [{ type: "message", content: [null] }] }]])(
  "a body of no shape is refused, not thrown at: %j",
  (refused) => {
    expect(validateResponsesRequest(refused).length).toBeGreaterThan(0);
  },
);
