import { describe, expect, test } from "vitest";
import { ask as asked, KEYS, simulatorWith } from "../testing/simulator-with.ts";
import { listAt, recordsAt } from "./fields.ts";
import type { Simulator, SimulatorOptions } from "./index.ts";

type Block = Readonly<Record<string, unknown>>;

interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}

interface Request extends Readonly<Record<string, unknown>> {
  readonly messages: readonly Message[];
}

const BETA = { "anthropic-beta": "other-2026-01-01,thinking-binding-controls-2026-08-01" };
const DROP = { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } };
const REFUSE = { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "error" } } };
const tool = (name: string) => ({ name, description: "reads", input_schema: { type: "object" } });
const FABLE = "claude-fable-5-2";
const REQUEST: Request = {
  model: FABLE,
  max_tokens: 1_000,
  system: "be brief",
  tools: [tool("read")],
  messages: [{ role: "user", content: "go" }],
};

/** A simulator whose model thinks at every step and calls a tool. */
const thinker = (options: Partial<SimulatorOptions> = {}) =>
  simulatorWith({
    reasoning: "every-reply",
    replies: ({ replyIndex }) => ({
      parts: [{ type: "tool-call", toolName: "read", argumentsJson: `{"path":"${replyIndex}"}` }],
    }),
    ...options,
  });

async function ask(simulator: Simulator, body: unknown, headers: object = {}, path = "messages") {
  const { status, answer, error } = await asked(simulator, path, body, { ...KEYS, ...headers });
  const { input_transformations = null } = Object(answer);
  return { status, error, content: recordsAt(answer, "content"), transformations: input_transformations };
}

const resultOf = (calls: readonly Block[]): Message => ({
  role: "user",
  content: calls.flatMap(({ id, type }) =>
    type === "tool_use" ? [{ type: "tool_result", tool_use_id: id, content: "ok" }] : [],
  ),
});

/** The request after so many steps of an agent that changes nothing: of each step a reply and its result. */
async function afterSteps(simulator: Simulator, steps: number, request: Request = REQUEST, headers = {}): Promise<Request> {
  let current = request;
  for (let step = 0; step < steps; step++) {
    const { content, error } = await ask(simulator, current, headers);
    expect(error).toBeNull();
    current = { ...current, messages: [...current.messages, { role: "assistant", content }, resultOf(content)] };
  }
  return current;
}

const isThinking = ({ type }: Block) => type === "thinking";
const blocksOf = ({ content }: Message): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** The request without the thinking of some replies, counted from 0. */
function without(request: Request, ...replies: readonly number[]): Request {
  return edited(request, (message, index) =>
    replies.includes((index - 1) / 2)
      ? { ...message, content: blocksOf(message).filter((block) => !isThinking(block)) }
      : message,
  );
}

function edited(request: Request, change: (message: Message, index: number) => Message): Request {
  return { ...request, messages: request.messages.map(change) };
}

function editedBlocks(request: Request, at: number, change: (block: Block) => Block): Request {
  return edited(request, (message, index) => (index === at ? { ...message, content: blocksOf(message).map(change) } : message));
}

const mismatches = (paths: readonly string[]) =>
  paths.map((path) => ({ type: "thinking_dropped", path, reason: "prefix_binding_mismatch" }));
const ALL = ["messages.1.content.0", "messages.3.content.0", "messages.5.content.0", "messages.7.content.0"];
const refusal = (path: string) =>
  `${path}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`;

const CHANGES: readonly (readonly [string, (request: Request) => Request, readonly string[]])[] = [
  ["nothing changed", (request) => request, []],
  ["a mark for the cache on a message", (r) => editedBlocks(r, 2, (b) => ({ ...b, cache_control: { type: "ephemeral" } })), []],
  ["a cache mark on the tools", (r) => ({ ...r, tools: [{ ...tool("read"), cache_control: { type: "ephemeral" } }] }), []],
  [
    "a mark for the cache on the system text",
    (r) => ({ ...r, system: [{ type: "text", text: "be brief", cache_control: { type: "ephemeral" } }] }),
    [],
  ],
  ["text alone as a block", (r) => edited(r, (m, i) => (i === 0 ? { ...m, content: blocksOf(m) } : m)), []],
  ["a result's text as a block", (r) => editedBlocks(r, 2, (b) => ({ ...b, content: [{ type: "text", text: "ok" }] })), []],
  ["other parameters", (r) => ({ ...r, max_tokens: 500, output_config: { effort: "low" }, metadata: { user_id: "u" } }), []],
  ["a tool that is loaded later", (r) => ({ ...r, tools: [tool("read"), { ...tool("late"), defer_loading: true }] }), []],
  ["a further message", (r) => ({ ...r, messages: [...r.messages, { role: "user", content: "and?" }] }), []],
  [
    "a reply in two neighbours",
    (r) => ({
      ...r,
      messages: r.messages.flatMap((m) => (m.role === "user" ? [m] : blocksOf(m).map((b) => ({ ...m, content: [b] })))),
    }),
    [],
  ],
  ["other system text", (r) => ({ ...r, system: "be long" }), ALL],
  ["no system text", (r) => ({ ...r, system: [] }), ALL],
  ["one more tool", (r) => ({ ...r, tools: [tool("read"), tool("write")] }), ALL],
  ["tools in another order", (r) => ({ ...r, tools: [tool("write"), tool("read")] }), ALL],
  ["another description", (r) => ({ ...r, tools: [{ ...tool("read"), description: "writes" }] }), ALL],
  ["another first message", (r) => editedBlocks(r, 0, (b) => ({ ...b, text: "go!" })), ALL],
  [
    "a reminder in the first message",
    (r) => edited(r, (m, i) => (i === 0 ? { ...m, content: [...blocksOf(m), { type: "text", text: "now" }] } : m)),
    ALL,
  ],
  ["a result that was shortened", (r) => editedBlocks(r, 4, (b) => ({ ...b, content: "…" })), ALL.slice(2)],
  ["another input", (r) => editedBlocks(r, 3, (b) => (isThinking(b) ? b : { ...b, input: { path: "other" } })), ALL.slice(2)],
  [
    "a message put between",
    (r) => edited(r, (m, i) => (i === 4 ? { ...m, content: [...blocksOf(m), { type: "text", text: "hm" }] } : m)),
    ALL.slice(2),
  ],
  ["the oldest step is out", (r) => ({ ...r, messages: [...r.messages.slice(0, 1), ...r.messages.slice(3)] }), ALL.slice(0, 3)],
  ["the first thinking left out", (r) => without(r, 0), []],
  ["the first three left out", (r) => without(r, 0, 1, 2), []],
  ["the newest left out", (r) => without(r, 3), []],
  ["all left out", (r) => without(r, 0, 1, 2, 3), []],
  ["both ends left out", (r) => without(r, 0, 3), []],
  ["one between others left out", (r) => without(r, 1), ALL.slice(2)],
  ["two between others left out", (r) => without(r, 1, 2), ALL.slice(3)],
  ["the first kept and all others but one left out", (r) => without(r, 1, 2, 3), []],
];

describe("thinking is bound to what stands before it", () => {
  test.each(CHANGES)("%s", async (_, change, invalid) => {
    const simulator = await thinker();
    const changed = change(await afterSteps(simulator, 4));
    const dropped = await ask(simulator, { ...changed, ...DROP }, BETA);
    expect(dropped).toMatchObject({ status: 200, transformations: mismatches(invalid) });
    expect(simulator.exchanges().at(-1)?.drops).toMatchObject(invalid.map((path) => ({ path })));
    const refused = await ask(simulator, { ...changed, ...REFUSE }, BETA);
    expect(refused.error).toBe(invalid[0] === undefined ? null : refusal(invalid[0]));
    expect((await ask(simulator, changed, BETA, "messages/count_tokens")).error).toBe(refused.error);
  });

  test("the answer names the beta where the request has none, and the text without it", async () => {
    const simulator = await thinker();
    const changed = { ...(await afterSteps(simulator, 1)), system: "other" };
    expect(await ask(simulator, changed)).toMatchObject({
      status: 400,
      error: `${refusal("messages.1.content.0")} That setting requires the \`thinking-binding-controls-2026-08-01\` value in the \`anthropic-beta\` header.`,
    });
  });

  test.each<[string, unknown, Readonly<Record<string, string>>, string]>([
    ["without the beta", DROP.thinking, {}, "thinking.adaptive.block_binding: Extra inputs are not permitted"],
    [
      "with another value",
      { type: "adaptive", block_binding: { prefix_mismatch_behavior: "keep" } },
      BETA,
      "thinking.adaptive.block_binding.prefix_mismatch_behavior: Input should be 'error' or 'drop_block'",
    ],
  ])("a behaviour is refused %s", async (_, thinking, headers, error) => {
    expect(await ask(await thinker(), { ...REQUEST, thinking }, headers)).toMatchObject({ status: 400, error });
  });

  test.each<[string, Block, string]>([
    ["another text", { thinking: "other" }, "messages.1.content.0: Invalid `signature` in `thinking` block"],
    ["another signature", { signature: "abcd" }, "messages.1.content.0: Invalid `signature` in `thinking` block"],
  ])("a damaged block with %s has an error of its own, which dropping does not mend", async (_, damage, error) => {
    const simulator = await thinker();
    const request = await afterSteps(simulator, 1);
    const damaged = editedBlocks(request, 1, (block) => (isThinking(block) ? { ...block, ...damage } : block));
    expect((await ask(simulator, { ...damaged, ...DROP }, BETA)).error).toBe(error);
  });
});

test("what was dropped is told in a stream's first event, and is not counted", async () => {
  const simulator = await thinker();
  const request = await afterSteps(simulator, 2);
  await ask(simulator, without(request, 0, 1));
  const changed = { ...request, system: "be short", ...DROP };
  await ask(simulator, { ...without(request, 0, 1), system: "be short" });
  const response = await fetch(`${simulator.url}/v1/messages`, {
    method: "POST",
    headers: { ...KEYS, ...BETA },
    body: JSON.stringify({ ...changed, stream: true }),
  });
  const [first = ""] = (await response.text()).split(/^data: |\n\n/m).filter((piece) => piece.startsWith("{"));
  expect(JSON.parse(first)).toMatchObject({ message: { input_transformations: mismatches(ALL.slice(0, 2)) } });
  const [bare, streamed] = simulator.exchanges().slice(-2);
  expect(streamed?.promptTokens).toBe(bare?.promptTokens);
});

describe("a request goes on after a change", () => {
  test("thinking that is given after a change is bound to what changed, beside older thinking that is dropped", async () => {
    const simulator = await thinker();
    const before = await afterSteps(simulator, 2);
    const changed = { ...before, system: "be short", ...DROP };
    const after = await afterSteps(simulator, 2, changed, BETA);
    expect((await ask(simulator, after, BETA)).transformations).toEqual(mismatches(ALL.slice(0, 2)));
    expect((await ask(simulator, without(after, 0, 1), BETA)).transformations).toEqual([]);
  });

  test("thinking that was left out and is put back makes what was given meanwhile invalid", async () => {
    const simulator = await thinker();
    const before = await afterSteps(simulator, 2);
    const meanwhile = await afterSteps(simulator, 2, without(before, 0, 1));
    const putBack = edited(meanwhile, (message, index) => before.messages[index] ?? message);
    expect((await ask(simulator, meanwhile)).error).toBeNull();
    expect((await ask(simulator, { ...putBack, ...DROP }, BETA)).transformations).toEqual(mismatches(ALL.slice(2)));
  });

  test("a session goes on with another simulator of the same rules", async () => {
    const request = await afterSteps(await thinker(), 2);
    expect((await ask(await thinker(), request)).error).toBeNull();
    expect((await ask(await thinker(), { ...request, system: "other" })).status).toBe(400);
  });

  test("thinking without text is bound, too", async () => {
    const simulator = await thinker({ reasoning: "every-reply-without-text" });
    const request = await afterSteps(simulator, 3);
    expect(blocksOf(request.messages[1] ?? { role: "", content: "" })[0]).toMatchObject({ type: "thinking", thinking: "" });
    expect((await ask(simulator, request)).error).toBeNull();
    expect((await ask(simulator, without(request, 1))).error).toContain("messages.5.content.0");
  });

  test("two blocks of one reply are one run", async () => {
    const parts = [
      { type: "reasoning", text: "first" },
      { type: "text", text: "so" },
      { type: "reasoning", text: "second" },
      { type: "tool-call", toolName: "read", argumentsJson: "{}" },
    ] as const;
    const simulator = await thinker({ replies: () => ({ parts }) });
    const request = await afterSteps(simulator, 2);
    expect((await ask(simulator, request)).error).toBeNull();
    const gap = editedBlocks(request, 1, (block) => (block.thinking === "second" ? { type: "text", text: "x" } : block));
    expect((await ask(simulator, gap)).error).toContain("messages.3.content.0");
  });
});

describe("who is checked", () => {
  test.each<[string, string, SimulatorOptions["rules"] & {}, number]>([
    ["Fable 5.2 on a new account", "claude-fable-5-2", {}, 400],
    ["Fable 5.2 on an old account", "claude-fable-5-2", { account: "before-2026-08-31" }, 400],
    ["Mythos 5.2 on an old account", "claude-mythos-5-2", { account: "before-2026-08-31" }, 400],
    ["Fable 5.1 on a new account", "claude-fable-5-1", {}, 400],
    ["Fable 5.1 on an old account", "claude-fable-5-1", { account: "before-2026-08-31" }, 200],
    ["Mythos 5.1", "claude-mythos-5-1", {}, 200],
    ["Opus 5.5", "claude-opus-5-5", {}, 400],
    ["Sonnet 5.5", "claude-sonnet-5-5", {}, 400],
    ["Haiku 5.5", "claude-haiku-5-5", {}, 400],
    ["a model through Bedrock", "us.anthropic.claude-opus-5-5-v1:0", {}, 400],
    ["a model through a router", "anthropic/claude-fable-5.1", {}, 400],
    ["Opus 5", "claude-opus-5", {}, 200],
    ["Fable 5", "claude-fable-5", {}, 200],
    ["Haiku 4.5", "claude-haiku-4-5", {}, 200],
    ["every model if the rule says so", "claude-opus-5", { thinkingPrefix: "every-model" }, 400],
    ["no model if the rule is off", "claude-fable-5-2", { thinkingPrefix: "off" }, 200],
    ["a server that drops by default", "claude-fable-5-2", { prefixMismatch: "drop_block" }, 200],
  ])("%s", async (_, model, rules, status) => {
    const simulator = await thinker({ rules });
    const request = await afterSteps(simulator, 2, { ...REQUEST, model });
    expect((await ask(simulator, { ...request, system: "other" })).status).toBe(status);
  });

  test("an old account that names a behaviour is checked", async () => {
    const simulator = await thinker({ rules: { account: "before-2026-08-31" } });
    const request = { ...(await afterSteps(simulator, 1, { ...REQUEST, model: "claude-fable-5-1" })), system: "other" };
    expect((await ask(simulator, { ...request, ...REFUSE }, BETA)).status).toBe(400);
    expect((await ask(simulator, { ...request, ...DROP }, BETA)).transformations).toEqual(mismatches(ALL.slice(0, 1)));
    expect((await ask(simulator, request, BETA)).transformations).toEqual([]);
  });

  test("a server that drops by default counts the drops and tells them to nobody who did not ask", async () => {
    const simulator = await thinker({ rules: { prefixMismatch: "drop_block" } });
    const request = { ...(await afterSteps(simulator, 2)), system: "other" };
    expect(await ask(simulator, request)).toMatchObject({ status: 200, transformations: null });
    expect(simulator.exchanges().at(-1)?.drops).toHaveLength(2);
  });
});

describe("whose thinking a model reads", () => {
  test.each<[string, string, string, SimulatorOptions["rules"] & {}, number]>([
    ["Fable 5.1 reads Opus 5.5's", "claude-opus-5-5", "claude-fable-5-1", {}, 0],
    ["Fable 5.1 reads Opus 5's", "claude-opus-5", "claude-fable-5-1", {}, 0],
    ["Opus 5 does not read Fable 5.1's", "claude-fable-5-1", "claude-opus-5", {}, 2],
    ["Opus 5.5 does not read Fable 5.1's", "claude-fable-5-1", "claude-opus-5-5", {}, 2],
    ["Mythos 5.2 reads Fable 5.2's", "claude-fable-5-2", "claude-mythos-5-2", {}, 0],
    ["Fable 5.1 does not read Fable 5.2's", "claude-fable-5-2", "claude-fable-5-1", {}, 2],
    ["Sonnet 5.5's is read by nobody else", "claude-sonnet-5-5", "claude-opus-5-5", {}, 2],
    ["Haiku 5.5's is read by others", "claude-haiku-5-5", "claude-opus-5-5", {}, 0],
    ["Haiku 5.5 reads nobody else's", "claude-opus-5", "claude-haiku-5-5", {}, 2],
    ["a server that does not look", "claude-fable-5-2", "claude-opus-5", { thinkingModel: "off" }, 0],
  ])("%s", async (_, maker, model, rules, drops) => {
    const simulator = await thinker({ rules });
    const request = { ...(await afterSteps(simulator, 2, { ...REQUEST, model: maker })), model };
    const { status, transformations } = await ask(simulator, request, BETA);
    expect(status).toBe(200);
    expect(listAt({ transformations }, "transformations")).toEqual(
      ALL.slice(0, drops).map((path) => ({ type: "thinking_dropped", path, reason: "model_binding_mismatch" })),
    );
  });

  test("a session that goes to another model and back is an unbroken run for both", async () => {
    const simulator = await thinker();
    const opus = { ...REQUEST, model: "claude-opus-5-5" };
    const first = await afterSteps(simulator, 2, opus);
    const second = await afterSteps(simulator, 2, { ...first, model: "claude-fable-5-1" });
    const third = await afterSteps(simulator, 2, { ...second, model: "claude-opus-5-5" });
    expect((await ask(simulator, third, BETA)).transformations).toHaveLength(2);
    expect((await ask(simulator, { ...third, model: "claude-fable-5-1" }, BETA)).transformations).toEqual([]);
  });
});
