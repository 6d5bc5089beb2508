import { describe, expect, test } from "vitest";
import { validateDeclared, validateResponsesRequest } from "./index.ts";

type Json = Readonly<Record<string, unknown>>;

const go = { role: "user", content: "go" };

const called = { type: "function_call", id: "fc_1", call_id: "c", name: "read", arguments: "{}", status: "completed" };
const output = { type: "function_call_output", call_id: "c", output: "ok" };

test.each<[string, readonly unknown[], number]>([
  ["an id is given again once its call is answered", [go, called, output, called, output], 0],
  ["two calls with one id are open at once", [go, called, called, output], 1],
])("%s", (_, items, faults) => {
  const plain = items.map((item) => ({ ...Object(item), id: undefined }));
  const body = { model: "gpt-5", input: JSON.parse(JSON.stringify(plain)) };
  const rules = validateResponsesRequest(body, { ids: "again" }).map(({ rule }) => rule);
  expect(rules.filter((rule) => rule.startsWith("call-"))).toEqual(Array(faults).fill("call-answered-in-place"));
});

describe("what an agent declares is in what is sent, in its place, and no order is new", () => {
  const tools = { type: "additional_tools", role: "developer", tools: [{ name: "exec" }] };
  const says = (content: string) => ({ type: "message", role: "developer", content: [{ type: "input_text", text: content }] });
  const user = (content: string) => ({ type: "message", role: "user", content });
  const answer = { type: "message", role: "assistant", content: "yes" };
  const bare = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] };
  const results = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] };
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
    ["person after results on the Messages wire", "messages", [go, bare, results], [go, bare, results, go], ["declared-order"]],
  ])("%s", (_, wire, agent, sent, rules) => {
    expect(validateDeclared(wire, { messages: agent }, { messages: sent }).map(({ rule }) => rule)).toEqual(rules);
  });
});
