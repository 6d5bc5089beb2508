import { describe, expect, test } from "vitest";
import { ask, simulatorWith } from "../testing/simulator-with.ts";
import { recordsAt, stringAt } from "./fields.ts";
import type { Simulator, SimulatorOptions } from "./index.ts";

type Item = Readonly<Record<string, unknown>>;

const CALL = { type: "tool-call", toolName: "read", argumentsJson: "{}" } as const;

const callingTwice = (options: Partial<SimulatorOptions> = {}) =>
  simulatorWith({ replies: () => ({ parts: [CALL, CALL] }), ...options });

const GO: Item = { role: "user", content: "go" };
const READ = { type: "function", name: "read", parameters: { type: "object" } };

describe("reasoning over a changed prefix is not shown to OpenAI's newer models", () => {
  const REQUEST = {
    model: "gpt-6.2-sol",
    instructions: "be brief",
    tools: [READ],
    input: [{ role: "developer", content: "rules" }, GO] as readonly Item[],
  };
  type Request = typeof REQUEST;

  async function afterSteps(simulator: Simulator, steps: number, request: Request): Promise<Request> {
    let current = request;
    for (let step = 0; step < steps; step++) {
      const output = recordsAt((await ask(simulator, "responses", current)).answer, "output");
      const calls = output.filter(({ type }) => type === "function_call");
      const results = calls.map(({ call_id }) => ({ type: "function_call_output", call_id, output: "ok" }));
      current = { ...current, input: [...current.input, ...output, ...results] };
    }
    return current;
  }

  const edited = (request: Request, change: (item: Item, index: number) => Item): Request => ({
    ...request,
    input: request.input.map(change),
  });
  const withoutReasoning = (request: Request): Request => ({
    ...request,
    input: request.input.filter(({ type }) => type !== "reasoning").map(({ id: _, ...item }) => item),
  });
  const FIRST = "rs_simulated_0_0";
  const SECOND = "rs_simulated_1_0";

  test.each<[string, (request: Request) => Request, readonly string[], string?]>([
    ["nothing changed", (r) => r, []],
    [
      "text alone as a part",
      (r) => edited(r, (item) => (item.role === "user" ? { ...item, content: [{ type: "input_text", text: "go" }] } : item)),
      [],
    ],
    ["ids and states left out", (r) => edited(r, ({ id: _, status: __, ...item }) => item), []],
    ["a further item", (r) => ({ ...r, input: [...r.input, { role: "developer", content: "now in French" }] }), []],
    ["all reasoning left out", withoutReasoning, []],
    ["other instructions, which this model reads last", (r) => ({ ...r, instructions: "be long" }), []],
    ["other instructions before GPT-6.2", (r) => ({ ...r, instructions: "be long" }), [FIRST, SECOND], "gpt-6.1-sol"],
    ["one more tool", (r) => ({ ...r, tools: [READ, { ...READ, name: "write" }] }), [FIRST, SECOND]],
    ["another form of the answer", (r) => ({ ...r, text: { format: { type: "json_object" } } }), [FIRST, SECOND]],
    [
      "an edited developer message",
      (r) => edited(r, (item) => (item.role === "developer" ? { ...item, content: "no rules" } : item)),
      [FIRST, SECOND],
    ],
    [
      "a shortened output",
      (r) => edited(r, (item) => (item.type === "function_call_output" ? { ...item, output: "…" } : item)),
      [SECOND],
    ],
    ["the same on an older model", (r) => ({ ...r, tools: [] }), [], "gpt-5.5"],
  ])("%s", async (_, change, dropped, model = "gpt-6.2-sol") => {
    const simulator = await callingTwice({ reasoning: "every-reply" });
    const request = change(await afterSteps(simulator, 2, { ...REQUEST, model }));
    const { status, answer, error } = await ask(simulator, "responses", request);
    expect([status, error]).toEqual([200, null]);
    const told = dropped.map((id) => expect.objectContaining({ id, reason: "prefix_mismatch" }));
    expect(recordsAt(answer, "input_transformations")).toEqual(told);
    expect(simulator.exchanges().at(-1)?.drops).toMatchObject(dropped.map((id) => ({ id })));
  });

  test.each<[string, SimulatorOptions["rules"], string, number]>([
    ["no model if the rule is off", { reasoningPrefix: "off" }, "gpt-6.2-sol", 0],
    ["every model if the rule says so", { reasoningPrefix: "every-model" }, "gpt-5", 2],
  ])("%s", async (_, rules, model, drops) => {
    const simulator = await callingTwice({ reasoning: "every-reply", ...(rules === undefined ? {} : { rules }) });
    const request = await afterSteps(simulator, 2, { ...REQUEST, model });
    await ask(simulator, "responses", { ...request, tools: [READ, { ...READ, name: "write" }] });
    expect(simulator.exchanges().at(-1)?.drops).toHaveLength(drops);
  });

  test("reasoning whose own item is missing is refused, though another item follows", async () => {
    const simulator = await callingTwice({ reasoning: "every-reply" });
    const request = await afterSteps(simulator, 2, REQUEST);
    const [, , reasoning, ...rest] = request.input;
    const later = rest.slice(rest.findIndex(({ type }) => type === "reasoning"));
    const moved = { ...REQUEST, input: [...REQUEST.input, later[0], reasoning, ...later.slice(1)] };
    expect((await ask(simulator, "responses", moved)).error).toBe(
      `Item '${FIRST}' of type 'reasoning' was provided without its required following item.`,
    );
  });
});

describe("a server whose template wants turns", () => {
  const system = { role: "system", content: "be brief" };
  test.each<[string, readonly Item[], number]>([
    ["a system message first", [system, GO], 200],
    ["none", [GO], 200],
    ["a second at the beginning", [system, system, GO], 400],
    ["a developer message after it", [system, { ...system, role: "developer" }, GO], 400],
    ["one in the middle", [system, GO, { role: "assistant", content: "yes" }, system, GO], 400],
    ["one at the end", [GO, system], 400],
  ])("%s", async (_, messages, status) => {
    const asked = await ask(await callingTwice({ roles: "alternate" }), "chat/completions", { model: "m", messages });
    expect(asked.status).toBe(status);
    expect(asked.error ?? "conversation roles must alternate user/assistant").toMatch(
      /onversation roles must alternate user\/assistant/,
    );
  });
});

describe("calls are numbered as the server does it", () => {
  const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];

  async function turn(simulator: Simulator, messages: readonly Item[]): Promise<readonly Item[]> {
    const { answer, error } = await ask(simulator, "chat/completions", { model: "m", tools, messages });
    expect(error).toBeNull();
    const [choice] = recordsAt(answer, "choices");
    const reply = Object(choice).message;
    const results = recordsAt(reply, "tool_calls").map(({ id }) => ({ role: "tool", tool_call_id: id, content: "ok" }));
    return [...messages, reply, ...results];
  }
  const idsOf = (messages: readonly Item[]) =>
    messages.flatMap((message) => recordsAt(message, "tool_calls").map((call) => stringAt(call, "id")));

  test.each<[string, "by-name" | "each-start" | "each-reply", readonly string[]]>([
    ["by the tool's name and the calls in the request", "by-name", [0, 1, 2, 3].map((at) => `functions.read:${at}`)],
    ["from nought at each start", "each-start", ["call_0", "call_1", "call_2", "call_3"]],
    ["from nought in each reply", "each-reply", ["call_0", "call_1", "call_0", "call_1"]],
  ])("%s", async (_, callIds, ids) => {
    const simulator = await callingTwice({ rules: { callIds } });
    const messages = await turn(simulator, await turn(simulator, [GO]));
    expect(idsOf(messages)).toEqual(ids);
    await turn(simulator, messages);
  });

  test("after a cut or a restart an id names two calls", async () => {
    const byName = await callingTwice({ rules: { callIds: "by-name" } });
    const messages = await turn(byName, await turn(byName, [GO]));
    const cut = [GO, ...messages.slice(4)];
    expect(idsOf(await turn(byName, cut))).toEqual([2, 3, 2, 3].map((number) => `functions.read:${number}`));
    const restarted = await callingTwice({ rules: { callIds: "each-start" } });
    const before = await turn(await callingTwice({ rules: { callIds: "each-start" } }), [GO]);
    expect(idsOf(await turn(restarted, before))).toEqual(["call_0", "call_1", "call_0", "call_1"]);
  });

  test("a Messages server that numbers anew takes an id twice", async () => {
    const simulator = await callingTwice({ rules: { callIds: "each-reply" } });
    let messages: readonly Item[] = [GO];
    for (const status of [200, 200, 200]) {
      const tools = [{ name: "read", input_schema: { type: "object" } }];
      const answered = await ask(simulator, "messages", { model: "m", max_tokens: 100, tools, messages });
      expect([answered.status, answered.error]).toEqual([status, null]);
      const content = recordsAt(answered.answer, "content");
      const results = content.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" }));
      messages = [...messages, { role: "assistant", content }, { role: "user", content: results }];
    }
  });
});

describe("tools that are not declared", () => {
  const [NOT_CALLED, REFUSED] = [{ undeclaredTools: "not-called" }, { undeclaredTools: "refused" }] as const;
  const added = { type: "additional_tools", role: "developer", tools: [READ] };
  const called = [
    { type: "function_call", call_id: "a", name: "read", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "ok" },
  ];
  test.each<[string, SimulatorOptions["rules"], Item, number, string]>([
    ["are called if nobody looks", {}, { input: [GO] }, 200, "function_call"],
    ["are not called", NOT_CALLED, { input: [GO] }, 200, "message"],
    ["are called where an item declares them", NOT_CALLED, { input: [added, GO] }, 200, "function_call"],
    ["are called if the request has them", NOT_CALLED, { input: [GO], tools: [READ] }, 200, "function_call"],
    ["are refused where a call of them is in the request", REFUSED, { input: [GO, ...called] }, 400, ""],
    ["are taken where an item declares them later", REFUSED, { input: [GO, ...called, added] }, 200, "function_call"],
  ])("%s", async (_, rules, request, status, type) => {
    const simulator = await callingTwice({ ...(rules === undefined ? {} : { rules }) });
    const asked = await ask(simulator, "responses", { model: "gpt-5.6-sol", ...request });
    expect(asked.status).toBe(status);
    expect(recordsAt(asked.answer, "output")[0]?.type ?? "").toBe(type);
  });
});
