import { describe, expect, test } from "vitest";
import { validateDeclared } from "./declared-rules.ts";
import { validateChatRequest, validateMessagesRequest, validateResponsesRequest } from "./vendor-rules.ts";

type Row = readonly [rule: string, accepted: unknown, refused: unknown];

const says = (content: unknown) => ({ role: "user", content });

describe("a body of Messages as documented is taken, one that breaks a rule is refused", () => {
  const THINKING = { type: "thinking", thinking: "hm", signature: "sig" };
  const USE = { type: "tool_use", id: "toolu_1", name: "read", input: {} };
  const RESULT = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
  const PNG = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const SHORT = { type: "ephemeral" };
  const LONG = { type: "ephemeral", ttl: "1h" };
  const BUDGET = { thinking: { type: "enabled", budget_tokens: 1024 } };
  const answers = (...content: unknown[]) => ({ role: "assistant", content });
  const asks = (...content: unknown[]) => ({ role: "user", content });
  const words = (text: string, more: object = {}) => ({ type: "text", text, ...more });
  const body = (messages: unknown, more: object = {}) => ({ model: "claude-sonnet-4-5", max_tokens: 4096, messages, ...more });
  const loop = (called: readonly unknown[], result: unknown = RESULT, more: object = {}) =>
    body([says("go"), answers(...called), asks(result)], more);
  const marked = (mark: object) => body([says("go")], { system: [words("x", { cache_control: mark })] });

  test.each<Row>([
    ["thinking-first", loop([THINKING, USE], RESULT, BUDGET), loop([words("Looking."), USE], RESULT, BUDGET)],
    [
      "thinking-first",
      body([says("go"), answers(words("done")), says("on"), answers(THINKING, USE), asks(RESULT)], BUDGET),
      body([says("go"), answers(words("a summary")), answers(THINKING, USE), asks(RESULT)], BUDGET),
    ],
    [
      "thinking-first",
      body([says("go"), answers(THINKING, USE), asks(RESULT), answers(USE), asks(RESULT)], BUDGET),
      body([says("go"), answers(USE), asks(RESULT), answers(THINKING, USE), asks(RESULT)], BUDGET),
    ],
    ["thinking-first", loop([USE], RESULT, { thinking: { type: "adaptive" } }), loop([USE], RESULT, BUDGET)],
    ["thinking-off", body([says("go"), answers(THINKING, words("x")), says("on")]), loop([THINKING, USE])],
    [
      "thinking-off",
      body([says("go"), answers(THINKING, USE), asks(RESULT), answers(USE), asks(RESULT)]),
      body([says("go"), answers(USE), asks(RESULT), answers(THINKING, USE), asks(RESULT)]),
    ],
    [
      "thinking-off",
      loop([THINKING, USE], RESULT, { model: "claude-opus-5" }),
      loop([THINKING, USE], RESULT, { thinking: { type: "disabled" } }),
    ],
    ["shape", body([asks(words("go", { citations: null }))]), body([asks(words("go", { id: "1" }))])],
    ["shape", loop([THINKING, USE], RESULT, BUDGET), loop([{ ...THINKING, cache_control: SHORT }, USE], RESULT, BUDGET)],
    ["shape", body([says("go")]), body([{ ...says("go"), id: "msg_1" }])],
    ["shape", body([asks(PNG)]), body([says("go"), answers(PNG, words("x")), says("on")])],
    ["shape", loop([USE]), body([asks({ ...USE, id: "u9" })])],
    ["shape", loop([USE], { ...RESULT, content: [PNG] }), loop([USE], { ...RESULT, content: { text: "x" } })],
    ["shape", loop([USE], { ...RESULT, is_error: false }), loop([USE], { ...RESULT, is_error: "no" })],
    ["shape", loop([USE], { ...RESULT, content: "" }), loop([USE], { ...RESULT, content: [USE] })],
    ["shape", loop([USE], { ...RESULT, is_error: true }), loop([USE], { ...RESULT, is_error: true, content: "" })],
    ["shape", body([asks(PNG)]), body([asks({ ...PNG, source: { ...PNG.source, media_type: "image/svg+xml" } })])],
    ["shape", body([asks(PNG)]), body([asks({ ...PNG, source: { ...PNG.source, data: "data:image/png;base64,iVBO" } })])],
    [
      "shape",
      body([asks({ type: "image", source: { type: "url", url: "https://a.b/c.png" } })]),
      body([asks({ type: "image", source: { type: "url", url: "c.png" } })]),
    ],
    ["shape", marked(LONG), marked({ type: "ephemeral", ttl: "2h" })],
  ])("%s", (rule, accepted, refused) => {
    expect(validateMessagesRequest(accepted)).toEqual([]);
    expect(validateMessagesRequest(refused).join()).toMatch(new RegExp(`^${rule}`));
  });

  test("says where", () => {
    const { messages } = loop([USE], { ...RESULT, is_error: "no" });
    expect(validateMessagesRequest(body(messages))).toEqual([expect.stringContaining("messages.2.content")]);
  });
});

describe("a body of Chat Completions as documented is taken, one that breaks a rule is refused", () => {
  const CALL = { id: "call_1", type: "function", function: { name: "read", arguments: "{}" } };
  const OTHER = { ...CALL, id: "call_2" };
  const answers = (content: unknown) => ({ role: "assistant", content });
  const calls = (...tool_calls: unknown[]) => ({ role: "assistant", content: null, tool_calls });
  const result = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "ok" });
  const body = (...messages: unknown[]) => ({ model: "gpt-4.1", messages: [says("go"), ...messages] });
  const round = (call: object = CALL) => body(calls(call), result("call_1"));
  const image = { type: "image_url", image_url: { url: "https://a.b/c.png" } };
  const text = { type: "text", text: "x" };

  test.each<Row>([
    ["shape", body(says([text, image])), body({ role: "system", content: [image] })],
    ["shape", body(answers([text])), body(answers([{ type: "output_text", text: "x" }]))],
    ["shape", body(), body(says({ text: "go" }))],
    ["shape", body(says("")), body(says([]))],
    ["shape", round(), round({ ...CALL, function: { name: "read", arguments: {} } })],
    ["shape", round(), round({ ...CALL, type: "tool" })],
    ["shape", round(), round({ ...CALL, function: { name: "", arguments: "{}" } })],
    ["call-id-unique", body(calls(CALL, OTHER), result("call_1"), result("call_2")), body(calls(CALL, CALL), result("call_1"))],
    ["result-once", body(...round().messages, ...round().messages), body(calls(CALL), result("call_1"), result("call_1"))],
  ])("%s", (rule, accepted, refused) => {
    expect(validateChatRequest(accepted)).toEqual([]);
    expect(validateChatRequest(refused).join()).toMatch(new RegExp(`^${rule}`));
  });

  test.each<Row>([
    ["template-last-role", round(), body(answers("The"))],
    ["template-arguments", round(), round({ ...CALL, function: { name: "read", arguments: "{" } })],
  ])("%s: OpenAI takes it, a template cannot render it", (rule, accepted, refused) => {
    expect(validateChatRequest(accepted, "alternating")).toEqual([]);
    expect(validateChatRequest(refused, "alternating").join()).toMatch(new RegExp(`^${rule}`));
    expect(validateChatRequest(refused)).toEqual([]);
  });
});

const CALL = { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: "{}" };
const OUTPUT = { type: "function_call_output", call_id: "call_1", output: "ok" };
const CUSTOM = { type: "custom_tool_call", call_id: "call_3", name: "apply_patch", input: "*** Begin Patch" };
const PATCHED = { type: "custom_tool_call_output", call_id: "call_3", output: "Done." };
const REASONING = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
const REPLY = { type: "message", role: "assistant", id: "msg_1", status: "completed", content: [] };

test.each<[rule: string, accepted: readonly unknown[], refused: readonly unknown[]]>([
  ["item-fields", [REASONING, REPLY], [{ ...REASONING, status: null }, REPLY]],
  ["item-fields", [], [{ ...says("go"), name: "ann" }]],
  ["item-fields", [CUSTOM, PATCHED], [{ ...CUSTOM, arguments: "{}" }, PATCHED]],
  ["id", [CALL, OUTPUT], [{ ...CALL, id: "call_1" }, OUTPUT]],
  ["id", [REPLY], [{ ...REPLY, id: "item_1" }]],
  ["id", [{ ...CALL, id: undefined }, OUTPUT], [{ ...CALL, id: "" }, OUTPUT]],
  ["id", [REPLY], [{ ...REPLY, id: "msg-92Y7" }]],
  ["id", [{ ...CALL, id: `fc_${"a".repeat(61)}` }, OUTPUT], [{ ...CALL, id: `fc_${"a".repeat(62)}` }, OUTPUT]],
  [
    "call-id-unique",
    [CALL, { ...CALL, id: "fc_2", call_id: "call_2" }, OUTPUT, { ...OUTPUT, call_id: "call_2" }],
    [CALL, { ...CALL, id: "fc_2" }, OUTPUT],
  ],
  ["reasoning-shape", [REASONING, REPLY], [{ ...REASONING, summary: undefined }, REPLY]],
])("a body of Responses as documented is taken, one that breaks the rule is refused: %s", (rule, accepted, refused) => {
  const body = (items: readonly unknown[]) => ({ model: "gpt-5.2", input: [says("go"), ...items] });
  expect(validateResponsesRequest(body(accepted))).toEqual([]);
  expect(validateResponsesRequest(body(refused)).join()).toMatch(new RegExp(`^${rule}`));
});

test.each<[string, readonly unknown[], readonly string[]]>([
  ["an id is given again once its call is answered", [CALL, OUTPUT, CALL, OUTPUT], []],
  ["two calls with one id are open at once", [CALL, CALL, OUTPUT], ["call-answered-in-place: call_1"]],
])("where calls are numbered anew: %s", (_, input, faults) => {
  expect(validateResponsesRequest({ model: "gpt-5", input }, "again")).toEqual(faults);
});

describe("what an agent declares is in what is sent, in its place, and no order is new", () => {
  const tools = { type: "additional_tools", role: "developer", tools: [{ name: "exec" }] };
  const says = (content: string) => ({ type: "message", role: "developer", content: [{ type: "input_text", text: content }] });
  const user = (content: string) => ({ type: "message", role: "user", content });
  const go = { role: "user", content: "go" };
  const answer = { type: "message", role: "assistant", content: "yes" };
  const bare = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] };
  const results = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] };
  const input = [tools, says("one"), user("go"), answer, says("two"), user("on"), answer, user("end")];

  test.each<[string, object, readonly string[]]>([
    ["all that was sent", { input }, []],
    ["older turns left out", { input: [tools, says("one"), user("go"), answer, says("two"), user("end")] }, []],
    ["a summary in the place of turns", { input: [tools, says("one"), says("two"), user("summary and end")] }, []],
    ["tools left out", { input: input.slice(1) }, ["declared-kept", "declared-first"]],
    ["instructions cut", { input: [tools, user("go"), answer, says("two"), user("end")] }, ["declared-kept", "declared-first"]],
    ["a later developer message left out", { input: input.filter((item) => item !== input[4]) }, ["declared-kept"]],
    ["declarations in another order", { input: [says("one"), tools, ...input.slice(2)] }, ["declared-kept"]],
    ["other instructions at the top", { input, instructions: "new" }, ["declared-opening"]],
    [
      "two messages of the person in a row",
      { input: [...input.slice(0, 5), user("go"), user("summary"), answer, user("end")] },
      ["declared-order"],
    ],
  ])("%s", (_, sent, rules) => {
    expect(validateDeclared("responses", { input }, sent).map((each) => each.split(":")[0])).toEqual(rules);
  });

  test.each<[string, "chat" | "messages", readonly unknown[], readonly unknown[], readonly string[]]>([
    [
      "a summary beside the person's words on the chat wire",
      "chat",
      [
        { role: "system", content: "s" },
        go,
        { role: "assistant", tool_calls: [{}] },
        { role: "tool" },
        { role: "assistant", content: "a" },
        go,
      ],
      [
        { role: "system", content: "s" },
        go,
        { role: "user", content: "summary" },
        { role: "assistant", tool_calls: [{}] },
        { role: "tool" },
      ],
      ["declared-order"],
    ],
    [
      "results in parallel",
      "chat",
      [go, { role: "assistant", tool_calls: [{}] }, { role: "tool" }],
      [go, { role: "assistant", tool_calls: [{}] }, { role: "tool" }, { role: "tool" }],
      [],
    ],
    ["person after results on the Messages wire", "messages", [go, bare, results], [go, bare, results, go], ["declared-order"]],
  ])("%s", (_, wire, agent, sent, rules) => {
    expect(validateDeclared(wire, { messages: agent }, { messages: sent }).map((each) => each.split(":")[0])).toEqual(rules);
  });
});
