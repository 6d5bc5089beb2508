import { describe, expect, onTestFinished, test } from "vitest";
import { ask, KEYS } from "../../testing/simulator-with.ts";
import { startSimulator } from "../simulator.ts";
import { type ExchangeFacts, factsLine } from "./facts.ts";
import { LAST_REPLY, playScenario } from "./play.ts";
import { type KindRule, type Scenario, scenarioSchema } from "./scenario.ts";

const PERSON = "Mend the mast.";
const user = (content: string) => ({ role: "user", content });
const asked = user(PERSON);
const tool = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const system = { role: "system", content: "You are an agent." };

const MAIN = { messages: [system, asked], tools: [tool("shell")] };

/** Plays a scenario against these requests; gives the answers and the facts. */
async function played(scenario: Partial<Scenario>, bodies: readonly object[], path = "chat/completions", headers: object = {}) {
  const facts: ExchangeFacts[] = [];
  const options = playScenario({ name: "test", person: [PERSON], main: [], ...scenario }, (each) => facts.push(each));
  const simulator = await startSimulator(options);
  onTestFinished(() => simulator.close());
  const answers: unknown[] = [];
  for (const body of bodies)
    answers.push((await ask(simulator, path, { model: "m", ...body }, { ...KEYS, ...headers })).answer);
  return { answers, facts };
}

const says = (content: string) => ({ choices: [{ message: { content } }] });
const uses = (prompt_tokens: number) => ({ usage: { prompt_tokens } });

describe("a request's kind is told by what it is made of", () => {
  const other = { ...MAIN, messages: [system, asked, user("other")] };
  const calls = [{ id: "c", type: "function", function: { name: "shell", arguments: "{}" } }];
  const called = [
    asked,
    { role: "assistant", content: null, tool_calls: calls },
    { role: "tool", tool_call_id: "c", content: "x" },
  ];
  test.each<[string, KindRule["if"], object]>([
    ["no tools", { tools: "none" }, { messages: MAIN.messages }],
    ["some tools", { tools: "some", newest: "other" }, other],
    ["other tools", { tools: "other" }, { ...MAIN, tools: [tool("other")] }],
    ["the same tools", { tools: "same", newest: "other" }, other],
    ["no system text", { system: "none" }, { ...MAIN, messages: [asked] }],
    ["another system text", { system: "other" }, { ...MAIN, messages: [{ ...system, content: "Sum up." }, asked] }],
    ["another model", { model: "other" }, { ...MAIN, model: "small" }],
    ["an answer in a form", { form: "given" }, { ...MAIN, response_format: { type: "json_object" } }],
    ["a newest item that is not the person's", { newest: "other" }, other],
    [
      "a newest item after a result",
      { newest: "other", previous: "result" },
      { ...MAIN, messages: [...called, user("Sum up.")] },
    ],
  ])("%s", async (_, condition, body) => {
    const { facts, answers } = await played(
      { kinds: [{ kind: "side", if: condition }], side: { side: { text: "aside" } }, main: [{ say: { text: "main" } }] },
      [MAIN, body, MAIN],
    );
    expect(facts.map(({ kind }) => kind)).toEqual(["main", "side", "main"]);
    expect(answers[1]).toMatchObject(says("aside"));
  });

  test.each<[string, KindRule["if"], readonly string[]]>([
    ["first: before a second main request", { tools: "none", place: "first" }, ["side", "main", "side", "main", "main"]],
    ["later: after it", { tools: "none", place: "later" }, ["main", "main", "side", "main", "side"]],
    ["the first rule that fits", { place: "first", tools: "none" }, ["side", "main", "side", "main", "main"]],
  ])("%s", async (_, condition, kinds) => {
    const aside = { messages: [asked] };
    const { facts } = await played({ kinds: [{ kind: "side", if: condition }] }, [aside, MAIN, aside, MAIN, aside]);
    expect(facts.map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe("main requests are answered in order", () => {
  test("texts, calls of the request's own tools, groups and repeats, then a last line", async () => {
    const { answers } = await played(
      {
        tools: [
          { name: "absent", arguments: {} },
          { name: "sh*", arguments: { command: ["print", "{n} of {chars}"], wait: 5 } },
        ],
        main: [
          { say: { text: "one" } },
          { steps: [{ call: { outputTokens: 10, text: "I print." } }, { say: { tokens: 4 } }], repeat: 2 },
        ],
      },
      Array.from({ length: 6 }, () => MAIN),
    );
    const call = (n: number) => {
      const called = { name: "shell", arguments: `{"command":["print","${n} of 40"],"wait":5}` };
      return { choices: [{ message: { content: "I print.", tool_calls: [{ function: called }] } }] };
    };
    const filler = says("This is line 1.");
    expect(answers).toMatchObject([says("one"), call(2), filler, call(4), filler, says(LAST_REPLY)]);
  });

  test("a call without a tool that fits says so", async () => {
    const { answers } = await played({ main: [{ call: { outputTokens: 1 } }] }, [MAIN]);
    expect(answers).toMatchObject([says("The request has no tool that the scenario can call.")]);
    const used = await played({ main: [{ call: { outputTokens: 1, use: "read" } }] }, [MAIN]);
    const why = 'The request has no tool that the scenario can call for a step with "use": "read".';
    expect(used.answers).toMatchObject([says(why)]);
  });

  test("a pattern of one text calls a tool whose input is text, wherever the request's tools stand", async () => {
    const exec = { type: "custom", name: "exec", format: { type: "text" } };
    const tools = [{ type: "namespace", name: "functions", tools: [exec] }];
    const patterns = [{ name: "exec", arguments: "print({n}, {chars})" }];
    const scenario = { main: [{ call: { outputTokens: 10 } }], tools: patterns };
    const input = [{ type: "additional_tools", role: "developer", tools }, { ...system, role: "developer" }, user("go")];
    const { answers, facts } = await played(scenario, [{ store: false, input }], "responses");
    const call = { type: "custom_tool_call", name: "exec", input: "print(1, 40)" };
    expect(answers).toMatchObject([{ output: [call] }]);
    expect(facts).toMatchObject([{ toolCount: 1, itemCount: 1, systemTokens: expect.toSatisfy((tokens) => tokens > 0) }]);
  });

  test("a pattern with a use is for the steps that ask for it", async () => {
    const { answers } = await played(
      {
        tools: [
          { use: "read", name: "shell", arguments: { file: "{n}" } },
          { name: "shell", arguments: { command: "{n}" } },
        ],
        main: [{ call: { outputTokens: 1 } }, { call: { outputTokens: 1, use: "read" } }],
      },
      [MAIN, MAIN],
    );
    const calls = (json: string) => ({ choices: [{ message: { tool_calls: [{ function: { arguments: json } }] } }] });
    expect(answers).toMatchObject([calls('{"command":"1"}'), calls('{"file":"2"}')]);
  });

  test("the script goes on for the main answers that its end allows, and to the group of requests that it names", async () => {
    const aside = { messages: [asked] };
    const { answers } = await played(
      {
        endAfter: { kind: "side", times: 2, mains: 1 },
        kinds: [{ kind: "side", if: { tools: "none" } }],
        main: [{ say: { text: "on" }, repeat: 9 }],
      },
      [MAIN, aside, aside, MAIN, MAIN, aside, MAIN, MAIN],
    );
    const noted = says("Noted.");
    expect(answers).toMatchObject([says("on"), noted, noted, says("on"), says("on"), noted, says("on"), says(LAST_REPLY)]);
  });

  test.each<[string, Partial<Scenario>]>([
    ["after the kind that ends it", { endAfter: { kind: "side" } }],
    ["after so many", { atMostMain: 1 }],
  ])("the script ends %s, and usage is counted again", async (_, ending) => {
    const { answers } = await played(
      {
        ...ending,
        kinds: [{ kind: "side", if: { tools: "none" } }],
        main: [{ say: { text: "one" }, repeat: 9 }],
        usage: { promptTokens: 500 },
      },
      [MAIN, { messages: [asked] }, MAIN],
    );
    expect(answers).toMatchObject([
      { ...says("one"), ...uses(500) },
      { ...says("Noted.") },
      { ...says(LAST_REPLY), usage: { prompt_tokens: expect.toSatisfy((tokens) => tokens < 500) } },
    ]);
  });
});

describe("usage is told", () => {
  test.each<[string, Scenario["usage"] & {}, readonly object[]]>([
    ["in numbers", { promptTokens: 900 }, [uses(900), uses(900)]],
    ["growing", { promptTokens: 900, growTokens: 50 }, [uses(900), uses(950)]],
    ["as counted, but no less", { atLeastTokens: 700 }, [uses(700), uses(700)]],
    ["missing", "missing", [expect.not.objectContaining({ usage: expect.anything() })]],
  ])("%s", async (_, usage, expected) => {
    const { answers } = await played(
      { usage, main: [{ say: { text: "a" }, repeat: 9 }] },
      [MAIN, MAIN].slice(0, expected.length),
    );
    expect(answers).toMatchObject(expected);
  });

  test.each<[string, Scenario["usage"] & {}, number | null]>([
    ["nothing if it is missing", "missing", null],
    ["no less if it stays high", { atLeastTokens: 700 }, 700],
  ])("to side requests: %s", async (_, usage, told) => {
    const { facts } = await played({ usage, kinds: [{ kind: "side", if: { tools: "none" } }] }, [{ messages: [asked] }]);
    expect(facts[0]?.toldPromptTokens).toBe(told);
  });

  test("by no reply if it is missing, the last ones included", async () => {
    const { facts } = await played({ usage: "missing" }, [MAIN, MAIN]);
    expect(facts.map(({ toldPromptTokens }) => toldPromptTokens)).toEqual([null, null]);
  });

  test("by the step's word before the scenario's", async () => {
    const { facts } = await played({ usage: "missing", main: [{ say: { text: "a" }, usage: { promptTokens: 7 } }] }, [MAIN]);
    expect(facts[0]?.toldPromptTokens).toBe(7);
  });
});

describe("requests are refused as too long", () => {
  const kinds: readonly KindRule[] = [{ kind: "side", if: { tools: "none" } }];
  const aside = { messages: [asked] };
  const A = "answered";
  const O = "overflow";
  test.each<[string, Scenario["overflow"] & {}, readonly string[]]>([
    ["the n-th of any kind", [{ request: 2 }], [A, O, A, A]],
    ["so many times", [{ request: 2, times: 2 }], [A, O, O, A]],
    ["of one kind", [{ kind: "side", request: 1 }], [A, O, A, A]],
    ["while they are larger", [{ kind: "main", aboveTokens: 1 }], [O, A, O, O]],
  ])("%s", async (_, overflow, expected) => {
    const { facts } = await played({ kinds, overflow }, [MAIN, aside, MAIN, MAIN]);
    expect(facts.map(({ outcome }) => outcome)).toEqual(expected);
  });

  test("and an answer that did not come is given to the next request", async () => {
    const { answers } = await played({ overflow: [{ request: 1 }], main: [{ say: { text: "one" } }] }, [MAIN, MAIN]);
    expect(answers).toMatchObject([{ error: { code: "context_length_exceeded" } }, says("one")]);
  });
});

describe("facts", () => {
  const calls = { role: "assistant", content: null, tool_calls: [{ id: "c", function: { name: "shell", arguments: "{}" } }] };
  const result = { role: "tool", tool_call_id: "c", content: "the mast is of oak" };

  test("say what a request is made of and what it has in common with the main request before it, without a text of it", async () => {
    const bodies = [
      { ...MAIN, messages: [system, asked, calls, result] },
      { ...MAIN, messages: [system, user(`Summary. ${PERSON}`), calls, result, user("the mast is of oak")] },
    ];
    const probes = ["oak", "elm"].map((id) => ({ id, text: `of ${id}` }));
    const { facts } = await played({ probes }, bodies);
    const [first, second] = facts;
    expect(first).toMatchObject({
      index: 0,
      kind: "main",
      outcome: "answered",
      status: 200,
      toolCount: 1,
      itemCount: 3,
      roles: { user: 1, call: 1, result: 1 },
      sinceMain: null,
      probes: ["oak"],
      person: [0],
    });
    expect(second).toMatchObject({
      itemCount: 4,
      systemHash: first?.systemHash,
      toolsHash: first?.toolsHash,
      sinceMain: {
        sameSystem: true,
        sameTools: true,
        sharedItems: 0,
        sharedTokens: 0,
        kept: { call: 1, result: 1 },
        itemCount: 3,
      },
    });
    expect(facts.map(factsLine).join("\n")).not.toMatch(/mast|oak is|agent|shell/);
  });

  test("tell the vendor's own summary from a step, and hold the person's words beside a result", async () => {
    const scenario = { person: [PERSON, "of elm"], main: [{ say: { text: "one" }, repeat: 2 }] };
    const call = { role: "assistant", content: [{ type: "tool_use", id: "c", name: "shell", input: {} }] };
    const found = { type: "tool_result", tool_use_id: "c", content: [{ type: "text", text: "of elm" }] };
    const messages = [user("go"), call, { role: "user", content: [found, { type: "text", text: PERSON }] }];
    const step = { model: "claude-opus-5-5", max_tokens: 9, messages };
    const bodies = [step, { ...step, compaction: { type: "summarize" } }, step];
    const { facts } = await played(scenario, bodies, "messages", { "anthropic-beta": "compact-2026-09-04" });
    expect(facts.map(({ kind, outcome, person }) => [kind, outcome, person])).toEqual(
      ["main", "vendor-summary", "main"].map((kind) => [kind, "answered", [0]]),
    );
  });

  test("of a refused request are told, too", async () => {
    const { facts } = await played({}, [{ ...MAIN, messages: [asked, result] }]);
    expect(facts).toMatchObject([{ outcome: "rejected", status: 400, promptTokens: null, itemCount: 2 }]);
  });

  test.each([
    ["digits", "It is 10:04.", "It is 11:57."],
    ["dates in words", "Today is Monday, May 4.", "Today is Sunday, November 22."],
    ["random ids", "session 01a20414-fa3a-77c3", "session 7e0c99ab-0011-4a4a"],
    ["ids with a kind", "msg_01a20414-fa3a-77c3", "msg_7e0c99ab-0011-4a4a"],
  ])("have a hash of the system text that does not follow %s", async (_, one, other) => {
    const bodies = [one, other].map((content) => ({ messages: [{ role: "system", content }, asked] }));
    const { facts } = await played({}, bodies);
    expect(facts[0]?.systemHash).toBe(facts[1]?.systemHash);
  });
});

describe("a scenario's file", () => {
  test.each<[string, object]>([
    ["without a name", { main: [] }],
    ["with a field that is not known", { name: "a", main: [], speed: 1 }],
    ["with a step that is neither", { name: "a", main: [{ shout: "a" }] }],
    ["with a condition that is not known", { name: "a", main: [], kinds: [{ kind: "k", if: { colour: "red" } }] }],
    ["with a negative size", { name: "a", main: [{ call: { outputTokens: -1 } }] }],
  ])("%s is refused", (_, value) => {
    expect(scenarioSchema.safeParse(value).success).toBe(false);
  });
});
