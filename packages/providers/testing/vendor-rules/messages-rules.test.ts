import { expect, test } from "vitest";
import { validateMessagesRequest } from "./index.ts";
import { MESSAGES_BLOCK_RULES } from "./messages-block-rules.ts";
import { MESSAGES_TURN_RULES } from "./messages-turn-rules.ts";

const RULES = [...MESSAGES_TURN_RULES, ...MESSAGES_BLOCK_RULES];
const TOOL = { name: "read", input_schema: { type: "object" } };
const THINKING = { type: "thinking", thinking: "hm", signature: "sig" };
const USE = { type: "tool_use", id: "toolu_1", name: "read", input: {} };
const RESULT = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
const SUMMARY = { type: "compaction", content: "so far", signature: "sig" };
const SUMMARIZE = { compaction: { type: "summarize" } };
const SHORT = { type: "ephemeral" };
const LONG = { type: "ephemeral", ttl: "1h" };
const BUDGET = { thinking: { type: "enabled", budget_tokens: 1024 } };

const says = (text: string) => ({ role: "user", content: text });
const answers = (...content: unknown[]) => ({ role: "assistant", content });
const asks = (...content: unknown[]) => ({ role: "user", content });
const words = (text: string, more: object = {}) => ({ type: "text", text, ...more });
const body = (messages: unknown, more: object = {}) => {
  return { model: "claude-sonnet-4-5", max_tokens: 4096, tools: [TOOL], messages, ...more };
};
const loop = (called: readonly unknown[], result: unknown = RESULT, more: object = {}) =>
  body([says("go"), answers(...called), asks(result)], more);
const plain = (more: object) => body([says("go")], more);

/** A body that the vendor takes and one that it refuses, for each rule: from the rule's own source. */
const ROWS: readonly (readonly [rule: string, accepted: unknown, refused: unknown])[] = [
  ["compaction-alone", plain(SUMMARIZE), plain({ ...SUMMARIZE, context_management: { edits: [] } })],
  ["compaction-alone", plain(SUMMARIZE), plain({ ...SUMMARIZE, tool_choice: { type: "any" } })],
  ["summary-leads", body([answers(SUMMARY), says("go")]), body([says("go"), answers(SUMMARY)])],
  ["summary-leads", body([asks(SUMMARY, words("go"))]), body([answers(SUMMARY), answers(SUMMARY), says("go")])],
  ["summary-leads", body([answers(SUMMARY), says("go")]), body([answers({ ...SUMMARY, signature: undefined }), says("go")])],
  ["thinking-first", loop([THINKING, USE], RESULT, BUDGET), loop([words("Looking."), USE], RESULT, BUDGET)],
  [
    "thinking-first",
    body([says("go"), answers(words("done")), says("on"), answers(THINKING, USE), asks(RESULT)], BUDGET),
    body([says("go"), answers(words("a summary")), answers(THINKING, USE), asks(RESULT)], BUDGET),
  ],
  [
    "thinking-first",
    body(
      [says("go"), answers(THINKING, USE), asks(RESULT), answers({ ...USE, id: "u2" }), asks({ ...RESULT, tool_use_id: "u2" })],
      BUDGET,
    ),
    body(
      [says("go"), answers(USE), asks(RESULT), answers(THINKING, { ...USE, id: "u2" }), asks({ ...RESULT, tool_use_id: "u2" })],
      BUDGET,
    ),
  ],
  ["thinking-first", loop([USE], RESULT, { thinking: { type: "adaptive" } }), loop([USE], RESULT, BUDGET)],
  [
    "thinking-in-front",
    body([says("go"), answers(THINKING, words("x")), answers(THINKING, words("y")), says("on")]),
    body([says("go"), answers(words("a summary")), answers(THINKING, words("x")), says("on")]),
  ],
  [
    "thinking-in-front",
    body([says("go"), answers(words("x"), THINKING, words("y")), says("on")], { thinking: { type: "adaptive" } }),
    body([says("go"), answers(words("x"), THINKING, words("y")), says("on")], BUDGET),
  ],
  ["thinking-off", body([says("go"), answers(THINKING, words("x")), says("on")]), loop([THINKING, USE])],
  [
    "thinking-off",
    loop([THINKING, USE], RESULT, { model: "claude-opus-5" }),
    loop([THINKING, USE], RESULT, { thinking: { type: "disabled" } }),
  ],
  ["block-fields", body([asks(words("go", { citations: null }))]), body([asks(words("go", { id: "1" }))])],
  ["block-fields", loop([THINKING, USE], RESULT, BUDGET), loop([{ ...THINKING, cache_control: SHORT }, USE], RESULT, BUDGET)],
  ["message-fields", body([says("go")]), body([{ ...says("go"), id: "msg_1" }])],
  ["block-role", body([asks(PNG)]), body([says("go"), answers(PNG, words("x")), says("on")])],
  ["block-role", loop([USE]), body([asks({ ...USE, id: "u9" })])],
  ["tool-result-content", loop([USE], { ...RESULT, content: [PNG] }), loop([USE], { ...RESULT, content: { text: "x" } })],
  ["tool-result-content", loop([USE], { ...RESULT, is_error: false }), loop([USE], { ...RESULT, is_error: "no" })],
  ["tool-result-content", loop([USE], { ...RESULT, content: "" }), loop([USE], { ...RESULT, content: [USE] })],
  ["error-has-content", loop([USE], { ...RESULT, is_error: true }), loop([USE], { ...RESULT, is_error: true, content: "" })],
  ["image-source", body([asks(PNG)]), body([asks({ ...PNG, source: { ...PNG.source, media_type: "image/svg+xml" } })])],
  ["image-source", body([asks(PNG)]), body([asks({ ...PNG, source: { ...PNG.source, data: "data:image/png;base64,iVBO" } })])],
  [
    "image-source",
    body([asks({ type: "image", source: { type: "url", url: "https://a.b/c.png" } })]),
    body([asks({ type: "image", source: { type: "url", url: "c.png" } })]),
  ],
  [
    "cache-shape",
    plain({ system: [words("x", { cache_control: LONG })] }),
    plain({ system: [words("x", { cache_control: { type: "ephemeral", ttl: "2h" } })] }),
  ],
];

test.each(ROWS)("%s: a body as documented is taken, one that breaks it is refused", (rule, accepted, refused) => {
  expect(validateMessagesRequest(accepted)).toEqual([]);
  expect(validateMessagesRequest(refused).map((violation) => violation.rule)).toContain(rule);
});

test("every rule has a row and a source", () => {
  expect(new Set(ROWS.map(([rule]) => rule))).toEqual(new Set(RULES.map(({ id }) => id)));
  expect(RULES.filter(({ source }) => source === "")).toEqual([]);
});

test("a violation says where", () => {
  const refused = loop([USE], { ...RESULT, is_error: "no" });
  expect(validateMessagesRequest(refused)).toEqual([
    {
      rule: "tool-result-content",
      at: "$.messages[2].content[0].is_error",
      message: "is_error: Input should be a valid boolean",
    },
  ]);
});
