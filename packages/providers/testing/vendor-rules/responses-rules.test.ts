import { expect, test } from "vitest";
import { validateResponsesRequest } from "./index.ts";
import { RESPONSES_ITEM_RULES } from "./responses-item-rules.ts";

const REASONING = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
const CALL = { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: "{}" };
const OUTPUT = { type: "function_call_output", call_id: "call_1", output: "ok" };
const CUSTOM = { type: "custom_tool_call", call_id: "call_3", name: "apply_patch", input: "*** Begin Patch" };
const PATCHED = { type: "custom_tool_call_output", call_id: "call_3", output: "Done." };
const REPLY = {
  type: "message",
  role: "assistant",
  id: "msg_1",
  status: "completed",
  content: [{ type: "output_text", text: "x", annotations: [] }],
};
const ASKED = { role: "user", content: [{ type: "input_text", text: "go" }] };

const body = (input: unknown) => ({ model: "gpt-5.2", input });
const round = (call: object = {}, output: object = {}) => body([ASKED, { ...CALL, ...call }, { ...OUTPUT, ...output }]);

/** A body that the vendor takes and one that it refuses, for each rule: from the rule's own source. */
const ROWS: readonly (readonly [rule: string, accepted: unknown, refused: unknown])[] = [
  ["item-fields", body([ASKED, REASONING, REPLY]), body([ASKED, { ...REASONING, status: null }, REPLY])],
  ["item-fields", body([ASKED]), body([{ ...ASKED, name: "ann" }])],
  ["id-prefix", round(), round({ id: "call_1" })],
  ["id-prefix", body([ASKED, REPLY]), body([ASKED, { ...REPLY, id: "item_1" }])],
  ["id-pattern", round({ id: undefined }), round({ id: "" })],
  ["id-pattern", body([ASKED, REPLY]), body([ASKED, { ...REPLY, id: "msg-92Y7" }])],
  ["id-pattern", round({ id: `fc_${"a".repeat(61)}` }), round({ id: `fc_${"a".repeat(62)}` })],
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
  expect(new Set(ROWS.map(([rule]) => rule))).toEqual(new Set(RESPONSES_ITEM_RULES.map(({ id }) => id)));
  expect(RESPONSES_ITEM_RULES.filter(({ source }) => source === "")).toEqual([]);
});
