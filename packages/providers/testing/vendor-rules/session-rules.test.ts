import { describe, expect, test } from "vitest";
import type { SessionExchange } from "./index.ts";
import { validateDeclared, validateMessagesSession, validateResponsesRequest, validateResponsesSession } from "./index.ts";

type Json = Readonly<Record<string, unknown>>;

const go = { role: "user", content: "go" };
const thinking = (name: string) => ({ type: "thinking", thinking: "", signature: name });
const call = (id: string) => ({ type: "tool_use", id, name: "read", input: {} });
const reply = (name: string) => ({ role: "assistant", content: [thinking(name), call(name)] });
const result = (id: string, content: unknown = "ok") => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content }],
});
const bare = (name: string) => ({ role: "assistant", content: [call(name)] });
const BASE = { model: "claude-fable-5-2", system: "be brief", tools: [{ name: "read", input_schema: {} }] };

/** Three requests of an agent that changes nothing, each answered with thinking and a call. */
const given = (base: Json = BASE): readonly SessionExchange[] => {
  const messages = [[go], [go, reply("a"), result("a")], [go, reply("a"), result("a"), reply("b"), result("b")]];
  return ["a", "b", "c"].map((name, index) => ({
    request: { ...base, messages: messages[index] },
    answer: { content: [thinking(name), call(name)] },
  }));
};
const whole = [go, reply("a"), result("a"), reply("b"), result("b"), reply("c"), result("c")];
const [A, B, C] = [1, 3, 5].map((index) => `$.messages[${index}].content[0]`);

describe("thinking goes back where it was given", () => {
  test.each<[string, Json, readonly (string | undefined)[]]>([
    ["nothing changed", { messages: whole }, []],
    [
      "a mark and text as a block",
      {
        messages: [
          { role: "user", content: [{ type: "text", text: "go", cache_control: { type: "ephemeral" } }] },
          ...whole.slice(1),
        ],
      },
      [],
    ],
    ["a tool that is loaded later", { messages: whole, tools: [...BASE.tools, { name: "late", defer_loading: true }] }, []],
    ["other system text", { messages: whole, system: "be long" }, [A, B, C]],
    ["one more tool", { messages: whole, tools: [...BASE.tools, { name: "write" }] }, [A, B, C]],
    ["a shortened result", { messages: [...whole.slice(0, 4), result("b", "…"), ...whole.slice(5)] }, [C]],
    [
      "a summary before kept turns",
      { messages: [{ role: "user", content: "summary" }, reply("c"), result("c")] },
      ["$.messages[1].content[0]"],
    ],
    ["the first left out", { messages: [go, bare("a"), ...whole.slice(2)] }, []],
    ["the newest left out", { messages: [...whole.slice(0, 5), bare("c"), result("c")] }, []],
    ["all left out", { messages: [go, bare("a"), result("a"), bare("b"), result("b"), bare("c"), result("c")] }, []],
    ["one between left out", { messages: [...whole.slice(0, 3), bare("b"), ...whole.slice(4)] }, [C]],
    ["another model that does not compare", { model: "claude-opus-5", messages: whole, system: "other" }, []],
  ])("%s", (_, change, places) => {
    const refused = validateMessagesSession([...given(), { request: { ...BASE, ...change }, answer: {} }]);
    expect(refused.violations.map(({ at }) => at)).toEqual(places.map((at) => `request 3 ${at}`));
    const drops = { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } };
    const dropped = validateMessagesSession([...given(), { request: { ...BASE, ...drops, ...change }, answer: {} }]);
    expect(dropped).toEqual({ violations: [], drops: places.map((at) => ({ request: 3, at })) });
  });

  test("what was left out and is put back makes what was given meanwhile invalid", () => {
    const meanwhile = {
      request: { ...BASE, messages: [go, bare("a"), result("a"), bare("b"), result("b")] },
      answer: { content: [thinking("d"), call("d")] },
    };
    const putBack = { ...BASE, messages: [...whole.slice(0, 5), reply("d"), result("d")] };
    const { violations } = validateMessagesSession([...given().slice(0, 2), meanwhile, { request: putBack, answer: {} }]);
    expect(violations.map(({ at, message }) => [at, message])).toEqual([
      [`request 3 ${C}`, "the thinking before it is not the one after which it was given"],
    ]);
  });

  test("every model compares if the session says so", () => {
    const base = { ...BASE, model: "m" };
    const session = [...given(base), { request: { ...base, messages: whole, system: "other" }, answer: {} }];
    expect(validateMessagesSession(session).violations).toEqual([]);
    expect(validateMessagesSession(session, { models: "all" }).violations).toHaveLength(3);
  });
});

describe("reasoning items over a changed prefix are counted", () => {
  const reasoning = { type: "reasoning", id: "rs_1", encrypted_content: "x" };
  const called = { type: "function_call", id: "fc_1", call_id: "c", name: "read", arguments: "{}", status: "completed" };
  const output = { type: "function_call_output", call_id: "c", output: "ok" };
  const base = { model: "gpt-6.2-sol", instructions: "be brief", tools: [{ type: "function", name: "read" }] };
  const first = { request: { ...base, input: [go] }, answer: { output: [reasoning, called] } };
  const input = [go, reasoning, called, output];

  test.each<[string, Json, number]>([
    ["nothing changed", { input }, 0],
    ["ids left out", { input: input.map((item) => ({ ...item, id: null })) }, 0],
    ["other instructions, read last", { input, instructions: "be long" }, 0],
    ["other instructions before GPT-6.2", { model: "gpt-6.1-sol", input, instructions: "be long" }, 1],
    ["one more tool", { input, tools: [] }, 1],
    ["another first message", { input: [{ role: "user", content: "go on" }, ...input.slice(1)] }, 1],
    ["an older model", { model: "gpt-5.5", input, tools: [] }, 0],
  ])("%s", (_, change, drops) => {
    expect(validateResponsesSession([first, { request: { ...base, ...change }, answer: {} }]).drops).toHaveLength(drops);
  });

  test.each<[string, readonly unknown[], number]>([
    ["an id is given again once its call is answered", [go, called, output, called, output], 0],
    ["two calls with one id are open at once", [go, called, called, output], 1],
  ])("%s", (_, items, faults) => {
    const plain = items.map((item) => ({ ...Object(item), id: undefined }));
    const body = { ...base, input: JSON.parse(JSON.stringify(plain)) };
    const rules = validateResponsesRequest(body, { ids: "again" }).map(({ rule }) => rule);
    expect(rules.filter((rule) => rule.startsWith("call-"))).toEqual(Array(faults).fill("call-answered-in-place"));
  });
});

describe("what an agent declares is in what is sent, in its place, and no order is new", () => {
  const tools = { type: "additional_tools", role: "developer", tools: [{ name: "exec" }] };
  const says = (content: string) => ({ type: "message", role: "developer", content: [{ type: "input_text", text: content }] });
  const user = (content: string) => ({ type: "message", role: "user", content });
  const answer = { type: "message", role: "assistant", content: "yes" };
  const input = [tools, says("one"), user("go"), answer, says("two"), user("on"), answer, user("end")];

  test.each<[string, Json, readonly string[]]>([
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
    expect(validateDeclared("responses", { input }, sent).map(({ rule }) => rule)).toEqual(rules);
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
    [
      "person after results on the Messages wire",
      "messages",
      [go, bare("a"), result("a")],
      [go, bare("a"), result("a"), go],
      ["declared-order"],
    ],
  ])("%s", (_, wire, agent, sent, rules) => {
    expect(validateDeclared(wire, { messages: agent }, { messages: sent }).map(({ rule }) => rule)).toEqual(rules);
  });
});
