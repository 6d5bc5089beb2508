import { expect, test } from "vitest";
import { validateMessagesRequest } from "./index.ts";
import { MESSAGES_BLOCK_RULES } from "./messages-block-rules.ts";
import { MESSAGES_PARAMETER_RULES } from "./messages-parameter-rules.ts";
import { MESSAGES_TURN_RULES } from "./messages-turn-rules.ts";

const EFFORT = { role: "system", content: [], output_config: { effort: "low" } };
const RULES = [...MESSAGES_PARAMETER_RULES, ...MESSAGES_TURN_RULES, ...MESSAGES_BLOCK_RULES];
const TOOL = { name: "read", input_schema: { type: "object" } };
const THINKING = { type: "thinking", thinking: "hm", signature: "sig" };
const USE = { type: "tool_use", id: "toolu_1", name: "read", input: {} };
const RESULT = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
const SHORT = { type: "ephemeral" };
const LONG = { type: "ephemeral", ttl: "1h" };
const BUDGET = { thinking: { type: "enabled", budget_tokens: 1024 } };

const says = (text: string) => ({ role: "user", content: text });
const answers = (...content: unknown[]) => ({ role: "assistant", content });
const asks = (...content: unknown[]) => ({ role: "user", content });
const words = (text: string, more: object = {}) => ({ type: "text", text, ...more });
const body = (messages: unknown, more: object = {}) => ({
  model: "claude-sonnet-4-5",
  max_tokens: 4096,
  tools: [TOOL],
  messages,
  ...more,
});
const loop = (called: readonly unknown[], result: unknown = RESULT, more: object = {}) =>
  body([says("go"), answers(...called), asks(result)], more);
const plain = (more: object) => body([says("go")], more);

/** A body that the vendor takes and one that it refuses, for each rule: from the rule's own source. */
const ROWS: readonly (readonly [rule: string, accepted: unknown, refused: unknown])[] = [
  ["body", plain({}), [says("go")]],
  ["well-formed", body([says("whole \u{1F600}")]), body([says("half \uD83D")])],
  ["well-formed", loop([{ ...USE, input: { key: "x" } }]), loop([{ ...USE, input: { "\uDC00": "x" } }])],
  ["parameters", plain({ stream: true }), plain({ max_output_tokens: 1 })],
  ["model", plain({}), plain({ model: undefined })],
  ["max-tokens", plain({ max_tokens: 1 }), plain({ max_tokens: 1.5 })],
  ["max-tokens", plain({ max_tokens: 0 }), plain({ max_tokens: undefined })],
  ["system-shape", plain({ system: [words("be brief")] }), plain({ system: [PNG] })],
  ["system-shape", plain({ system: "be brief" }), plain({ system: { text: "be brief" } })],
  ["thinking-mode", plain(BUDGET), plain({ ...BUDGET, model: "claude-opus-4-7" })],
  ["thinking-mode", plain({ thinking: { type: "adaptive" } }), plain({ thinking: { type: "on" } })],
  ["thinking-budget", plain(BUDGET), plain({ thinking: { type: "enabled", budget_tokens: 1023 } })],
  ["thinking-budget", plain({ ...BUDGET, max_tokens: 1025 }), plain({ ...BUDGET, max_tokens: 1024 })],
  ["thinking-sampling", plain({ ...BUDGET, temperature: 1 }), plain({ ...BUDGET, temperature: 0 })],
  ["thinking-sampling", plain({ top_k: 4 }), plain({ ...BUDGET, top_k: 4 })],
  [
    "tool-choice",
    plain({ tool_choice: { type: "tool", name: "read" } }),
    plain({ tool_choice: { type: "tool", name: "write" } }),
  ],
  ["tool-choice", plain({ tool_choice: { type: "none" } }), plain({ tools: undefined, tool_choice: { type: "none" } })],
  [
    "tool-choice-thinking",
    plain({ ...BUDGET, tool_choice: { type: "auto" } }),
    plain({ ...BUDGET, tool_choice: { type: "any" } }),
  ],
  ["tools-defined", loop([USE]), loop([USE], RESULT, { tools: undefined })],
  ["tool-name", plain({ tools: [{ ...TOOL, name: "mcp__x-1" }] }), plain({ tools: [{ ...TOOL, name: "a.b" }] })],
  ["tool-name", plain({ tools: [{ ...TOOL, name: "a".repeat(128) }] }), plain({ tools: [{ ...TOOL, name: "a".repeat(129) }] })],
  ["tool-name-unique", plain({ tools: [TOOL, { ...TOOL, name: "write" }] }), plain({ tools: [TOOL, TOOL] })],
  ["tool-schema", plain({}), plain({ tools: [{ name: "read", input_schema: {} }] })],
  ["tool-schema", plain({}), plain({ tools: [{ name: "read", input_schema: { type: "object", anyOf: [] } }] })],
  ["stop-sequences", plain({ stop_sequences: ["END"] }), plain({ stop_sequences: ["\n"] })],
  ["messages-present", body([says("go")]), body([])],
  ["messages-present", body([says("go")]), body(undefined)],
  ["role", body([says("go")]), body([says("go"), { role: "tool", content: "x" }])],
  ["first-user", body([says("go")]), body([answers(words("hi")), says("go")])],
  [
    "system-place",
    body([says("go"), { role: "system", content: "be brief" }], { model: "claude-opus-5" }),
    body([{ role: "system", content: "be brief" }, says("go")]),
  ],
  [
    "system-place",
    body([says("go"), { role: "system", content: "be brief" }, answers(words("hi")), says("on")], { model: "claude-opus-5" }),
    body([says("go"), { role: "system", content: "be brief" }, says("on")]),
  ],
  [
    "system-place",
    body([says("go"), answers(words("hi")), EFFORT, says("on"), EFFORT], { model: "claude-opus-5" }),
    body([says("go"), answers(words("hi")), { ...EFFORT, content: "be brief" }, says("on")]),
  ],
  [
    "content-present",
    body([says("go"), EFFORT], { model: "claude-opus-5" }),
    body([says("go"), { ...EFFORT, output_config: {} }]),
  ],
  [
    "system-model",
    body([says("go"), { role: "system", content: "be brief" }], { model: "claude-opus-4-8" }),
    body([says("go"), { role: "system", content: "be brief" }]),
  ],
  [
    "content-present",
    body([says("go"), { role: "assistant", content: "" }]),
    body([says(""), answers(words("x")), says("go")]),
  ],
  ["content-present", body([says("go")]), body([says("go"), answers(), says("on")])],
  ["content-present", body([says("go")]), body([{ role: "user" }])],
  [
    "prefill",
    body([says("go"), answers(words("The"))]),
    body([says("go"), answers(words("The"))], { model: "claude-opus-4-6" }),
  ],
  ["prefill", body([says("go"), answers(words("The"))]), body([says("go"), answers(THINKING, words("The"))], BUDGET)],
  ["final-whitespace", body([says("go"), answers(words("The"))]), body([says("go"), answers(words("The "))])],
  ["tool-use-answered", loop([USE]), body([says("go"), answers(USE), says("never mind")])],
  ["tool-use-answered", loop([USE]), loop([USE, { ...USE, id: "toolu_2" }])],
  [
    "tool-use-answered",
    body([says("go"), answers(USE, { ...USE, id: "toolu_2" }), asks(RESULT), asks({ ...RESULT, tool_use_id: "toolu_2" })]),
    body([says("go"), answers(USE), says("wait"), answers(words("yes?")), asks(RESULT)]),
  ],
  ["tool-result-called", loop([USE]), loop([words("no call")])],
  ["tool-result-called", loop([USE]), body([says("go"), answers(USE), asks(RESULT), answers(words("x")), asks(RESULT)])],
  ["tool-result-once", loop([USE]), body([says("go"), answers(USE), asks(RESULT, RESULT)])],
  [
    "tool-result-first",
    body([says("go"), answers(USE), asks(RESULT, words("and now?"))]),
    body([says("go"), answers(USE), asks(words("and now?"), RESULT)]),
  ],
  [
    "tool-use-id-unique",
    body([
      says("go"),
      answers(USE),
      asks(RESULT),
      answers({ ...USE, id: "toolu_2" }),
      asks({ ...RESULT, tool_use_id: "toolu_2" }),
    ]),
    body([says("go"), answers(USE), asks(RESULT), answers(USE), asks(RESULT)]),
  ],
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
  [
    "thinking-not-last",
    body([says("go"), answers(THINKING), answers(words("x")), says("on")]),
    body([says("go"), answers(THINKING), says("on")]),
  ],
  ["block-fields", body([asks(words("go", { citations: null }))]), body([asks(words("go", { id: "1" }))])],
  ["block-fields", loop([THINKING, USE], RESULT, BUDGET), loop([{ ...THINKING, cache_control: SHORT }, USE], RESULT, BUDGET)],
  ["message-fields", body([says("go")]), body([{ ...says("go"), id: "msg_1" }])],
  ["block-role", body([asks(PNG)]), body([says("go"), answers(PNG, words("x")), says("on")])],
  ["block-role", loop([USE]), body([asks({ ...USE, id: "u9" })])],
  ["text-present", body([asks(words("go"))]), body([asks(words(""), words("go"))])],
  ["text-present", loop([USE], { ...RESULT, content: [] }), loop([USE], { ...RESULT, content: [words("")] })],
  ["text-present", plain({ system: [words("x")] }), plain({ system: [words("")] })],
  ["text-not-blank", body([asks(words(" "), words("go"))]), body([asks(words(" "), words("\n"))])],
  [
    "text-not-blank",
    body([says("go"), answers(USE), asks(RESULT)]),
    body([says("go"), answers(words(" "), USE), asks(RESULT)]),
  ],
  [
    "tool-use-id",
    loop([{ ...USE, id: "a-b_1" }], { ...RESULT, tool_use_id: "a-b_1" }),
    loop([{ ...USE, id: "a|b" }], { ...RESULT, tool_use_id: "a|b" }),
  ],
  ["tool-use-name", loop([USE]), loop([{ ...USE, name: "a b" }])],
  ["tool-use-input", loop([USE]), loop([{ ...USE, input: "{}" }])],
  ["tool-use-input", loop([USE]), loop([{ ...USE, input: [] }])],
  ["tool-result-content", loop([USE], { ...RESULT, content: [PNG] }), loop([USE], { ...RESULT, content: { text: "x" } })],
  ["tool-result-content", loop([USE], { ...RESULT, is_error: false }), loop([USE], { ...RESULT, is_error: "no" })],
  ["tool-result-content", loop([USE], { ...RESULT, content: "" }), loop([USE], { ...RESULT, content: [USE] })],
  ["error-has-content", loop([USE], { ...RESULT, is_error: true }), loop([USE], { ...RESULT, is_error: true, content: "" })],
  ["thinking-signature", loop([THINKING, USE], RESULT, BUDGET), loop([{ ...THINKING, signature: "" }, USE], RESULT, BUDGET)],
  [
    "thinking-signature",
    loop([{ type: "redacted_thinking", data: "x" }, USE], RESULT, BUDGET),
    loop([{ type: "redacted_thinking" }, USE], RESULT, BUDGET),
  ],
  ["image-source", body([asks(PNG)]), body([asks({ ...PNG, source: { ...PNG.source, media_type: "image/svg+xml" } })])],
  ["image-source", body([asks(PNG)]), body([asks({ ...PNG, source: { ...PNG.source, data: "data:image/png;base64,iVBO" } })])],
  [
    "image-source",
    body([asks({ type: "image", source: { type: "url", url: "https://a.b/c.png" } })]),
    body([asks({ type: "image", source: { type: "url", url: "c.png" } })]),
  ],
  [
    "cache-count",
    plain({ system: [1, 2, 3, 4].map((n) => words(`${n}`, { cache_control: SHORT })) }),
    plain({ system: [1, 2, 3, 4].map((n) => words(`${n}`, { cache_control: SHORT })), cache_control: SHORT }),
  ],
  [
    "cache-shape",
    plain({ system: [words("x", { cache_control: LONG })] }),
    plain({ system: [words("x", { cache_control: { type: "ephemeral", ttl: "2h" } })] }),
  ],
  [
    "cache-order",
    body([asks(words("go", { cache_control: SHORT }))], { system: [words("x", { cache_control: LONG })] }),
    body([asks(words("go", { cache_control: LONG }))], { system: [words("x", { cache_control: SHORT })] }),
  ],
  [
    "cache-on-text",
    body([asks(words("go", { cache_control: SHORT }))]),
    body([asks(words("go"), words("", { cache_control: SHORT }))]),
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
  const refused = loop([{ ...USE, input: "{}" }]);
  expect(validateMessagesRequest(refused)).toEqual([
    { rule: "tool-use-input", at: "$.messages[1].content[0].input", message: "Input should be a valid dictionary" },
  ]);
});

test.each([null, 7, "x", [], {}, { messages: 7 }, { messages: [null, 7, []] }, { messages: [{ content: [null] }] }])(
  "a body of no shape is refused, not thrown at: %j",
  (refused) => {
    expect(validateMessagesRequest(refused).length).toBeGreaterThan(0);
  },
);
