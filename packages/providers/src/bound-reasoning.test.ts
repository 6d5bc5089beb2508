import Anthropic from "@anthropic-ai/sdk";
import { type BoundReasoning, type ContextEvent, PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import { startSimulator } from "@plimsoll/simulator";
import { createMemorySessionStore } from "@plimsoll/stores";
import { describe, expect, onTestFinished, test } from "vitest";
import { fetchBehindProxy } from "../testing/fetch-behind-proxy.ts";
import { lastRole } from "../testing/matrix-runs.ts";
import { matrixScript, READ_TOOL, SYSTEM } from "../testing/matrix-script.ts";
import { proxyInMemory } from "../testing/proxy-in-memory.ts";
import { type AnthropicSession, type AnthropicSessionOptions, createAnthropicSession } from "./anthropic/session.ts";
import { createMessagesCompactor } from "./drop-in/anthropic.ts";

const MODEL = "claude-fable-5-2";
const LIMITS = { contextWindowTokens: 32_768, maxOutputTokens: 2_000 };
const { name, description, parameters } = READ_TOOL;
const TOOL: Anthropic.Tool = { name, description, input_schema: { ...parameters } };
const OTHER_TOOL: Anthropic.Tool = { ...TOOL, name: "write_file" };

const ASKED = { model: MODEL, max_tokens: 2_000, system: SYSTEM, tools: [TOOL] };

/** A reply and the results of its calls, as a program keeps them; its words if there are none. */
function turnOf(content: Anthropic.Message["content"], result = "line of a file\n".repeat(400), said = "go on") {
  const calls = content.filter((block) => block.type === "tool_use");
  const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: result }));
  const turn: Anthropic.MessageParam[] = [
    { role: "assistant", content },
    { role: "user", content: results.length > 0 ? results : said },
  ];
  return turn;
}

/** A server that refuses thinking over a changed prefix, or drops it, with its requests and actions. */
async function bindingServer(prefixMismatch: "error" | "drop_block" = "error") {
  const bodies: unknown[] = [];
  const simulator = await startSimulator({
    replies: matrixScript("bound"),
    contextWindowTokens: LIMITS.contextWindowTokens,
    nowMs: () => 0,
    rules: { prefixMismatch },
    onRequest: (_wire, body) => bodies.push(body),
  });
  onTestFinished(() => simulator.close());
  const sdk = new Anthropic({ apiKey: "key", baseURL: simulator.url, maxRetries: 0 });
  const refused = () => simulator.exchanges().filter(({ outcome }) => outcome === "rejected").length;
  const drops = () => simulator.exchanges().map((exchange) => exchange.drops.length);
  return { sdk, refused, drops, bodies };
}

/** A session's steps: each asks once, and answers the calls. */
async function steps(session: AnthropicSession, sdk: Anthropic, count: number): Promise<void> {
  for (let step = 0; step < count; step++) {
    if (session.calls.length === 0 && (await lastRole(session)) !== "tool-result") session.user(`go on ${step}`);
    await session.send((asked) => sdk.messages.create(asked, session.requestOptions));
    for (const { callId, argumentsJson } of session.calls) session.result(callId, `what ${argumentsJson} says`);
  }
}

const thoughtCount = ({ conversation }: AnthropicSession) =>
  conversation.context().messages.filter(({ parts }) => parts.some(({ type }) => type === "reasoning")).length;

describe("a session goes on", () => {
  test.each([
    ["as it was: its thinking stays", {}, 0, "stays"],
    ["with another system text", { system: "You write files." }, 0, "leaves"],
    ["with one more tool", { tools: [TOOL, OTHER_TOOL] }, 0, "leaves"],
    ["with another model", { model: "claude-opus-5-5" }, 0, "leaves"],
  ] as const)("%s", async (_, changed, refusals, thinking) => {
    const { sdk, refused } = await bindingServer();
    const sessions = createMemorySessionStore();
    const open = ({
      system = SYSTEM,
      tools = [TOOL],
      model = MODEL,
    }: {
      system?: string;
      tools?: readonly Anthropic.Tool[];
      model?: string;
    }) =>
      createAnthropicSession({
        request: { model, max_tokens: 2_000, tools: [...tools], thinking: { type: "adaptive" } },
        system,
        limits: LIMITS,
        sessions,
        sessionId: "s",
      });
    const first = await open({});
    await steps(first, sdk, 4);
    await first.conversation.inTurn(async () => undefined);
    const before = thoughtCount(first);
    await first.close();
    const second = await open(changed);
    expect(thoughtCount(second)).toBe(thinking === "stays" ? before : 0);
    await steps(second, sdk, 3);
    expect(refused()).toBe(refusals);
    await second.close();
  });

  test("after an undo", async () => {
    const { sdk, refused } = await bindingServer();
    const request = { model: MODEL, max_tokens: 2_000, tools: [TOOL], thinking: { type: "adaptive" } } as const;
    const session = await createAnthropicSession({ request: { ...request, tools: [TOOL] }, system: SYSTEM, limits: LIMITS });
    await steps(session, sdk, 20);
    const { conversation } = session;
    const now = { reason: "manual", keep: { messages: 2 } } as const;
    await conversation.inTurn(() =>
      conversation.fit({ gate: "before-step", pending: [], model: LIMITS, now }, new AbortController().signal),
    );
    await steps(session, sdk, 3);
    await conversation.inTurn(conversation.undo);
    await steps(session, sdk, 3);
    expect(refused()).toBe(0);
    await session.close();
  });
});

describe("a session that asks the vendor to drop", () => {
  const REQUEST = { model: MODEL, max_tokens: 2_000, thinking: { type: "adaptive" } } as const;
  /** Compacts; gives the signatures of all thinking that was there. */
  const cut = ({ conversation }: AnthropicSession) =>
    conversation.inTurn(async () => {
      const made = signaturesIn(conversation.context().messages);
      const now = { reason: "manual", keep: { messages: 6 } } as const;
      const signal = new AbortController().signal;
      await conversation.fit({ gate: "before-step", pending: [], model: LIMITS, now }, signal);
      return made;
    });
  const signaturesIn = (value: unknown) =>
    Array.from(JSON.stringify(value).matchAll(/"signature":"([^"]+)"/g), ([, signature]) => signature);

  /** Plays 30 steps with two cuts; gives the thinking dropped from each request, and the part of it made before the newest cut. */
  const playCut = async (choice: BoundReasoning | undefined) => {
    const server = await bindingServer();
    const sessions = createMemorySessionStore();
    const open = async (changed: Partial<AnthropicSessionOptions> = {}) =>
      await createAnthropicSession({
        request: { ...REQUEST, tools: [TOOL] },
        system: SYSTEM,
        limits: LIMITS,
        sessions,
        sessionId: "s",
        ...changed,
      });
    const session = await open(choice === undefined ? {} : { boundReasoning: choice });
    const behindCuts: number[] = [];
    for (const cuts of [0, 1, 2]) {
      const made = cuts === 0 ? [] : await cut(session);
      for (let step = 0; step < 10; step++) {
        await steps(session, server.sdk, 1);
        behindCuts.push(signaturesIn(server.bodies.at(-1)).filter((each) => made.includes(each)).length);
      }
    }
    const logged = async () => JSON.stringify((await sessions.read("s"))?.entries);
    return { ...server, session, open, behindCuts, logged };
  };

  test("what was made before the newest cut is dropped, nothing else, and nothing is refused", async () => {
    const { session, refused, drops, behindCuts, logged, bodies } = await playCut("vendor-drops");
    expect(refused()).toBe(0);
    expect(drops()).toEqual(behindCuts);
    expect(
      drops()
        .slice(10)
        .every((count) => count > 0),
    ).toBe(true);
    expect(await logged()).not.toContain("removedReasoning");
    expect(bodies.at(-1)).toMatchObject({
      thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    });
    await session.close();
  });

  test("without the choice nothing is dropped", async () => {
    const { session, refused, drops, bodies } = await playCut(undefined);
    expect([refused(), Math.max(...drops())]).toEqual([0, 0]);
    expect(session.requestOptions).toEqual({});
    expect(JSON.stringify(bodies)).not.toContain("block_binding");
    await session.close();
  });

  test.each<[string, Partial<AnthropicSessionOptions>]>([
    ["as it was", {}],
    ["with another system text", { system: "You write files." }],
    ["with one more tool", { request: { ...REQUEST, tools: [TOOL, OTHER_TOOL] } }],
    ["with another model", { request: { ...REQUEST, model: "claude-opus-5-5", tools: [TOOL] } }],
    ["without thinking of its own", { request: { model: MODEL, max_tokens: 2_000, tools: [TOOL] } }],
  ])("it goes on by the stored choice %s", async (_, changed) => {
    const { session, open, sdk, refused, drops, logged } = await playCut("vendor-drops");
    await session.close();
    const kept = thoughtCount(session);
    const resumed = await open(changed);
    expect(thoughtCount(resumed)).toBe(kept);
    await steps(resumed, sdk, 3);
    await resumed.conversation.inTurn(resumed.conversation.undo);
    await steps(resumed, sdk, 3);
    expect(refused()).toBe(0);
    expect(drops().at(-1)).toBeGreaterThan(0);
    expect(await logged()).not.toContain("removedReasoning");
    await resumed.close();
  });

  test("another choice is stored in its turn, and takes out what the vendor would refuse", async () => {
    const { session, open, sdk, refused, drops, logged, bodies } = await playCut("vendor-drops");
    await session.close();
    const changed = await open({ boundReasoning: "leaves" });
    expect(thoughtCount(changed)).toBe(0);
    await changed.close();
    const resumed = await open();
    await steps(resumed, sdk, 4);
    await cut(resumed);
    await steps(resumed, sdk, 2);
    expect(refused()).toBe(0);
    expect(drops().slice(30)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(JSON.stringify(bodies.slice(30))).not.toContain("block_binding");
    expect((await logged()).match(/"boundReasoning":"[^"]+"/g)).toEqual([
      '"boundReasoning":"vendor-drops"',
      '"boundReasoning":"leaves"',
    ]);
    await resumed.close();
  });
});

describe("arrays that share a beginning", () => {
  const DROPPING = { type: "adaptive" as const, block_binding: { prefix_mismatch_behavior: "drop_block" as const } };
  const BETA = { headers: { "anthropic-beta": "thinking-binding-controls-2026-08-01" } };

  /** Plays an array until it was cut, then a fork of it, by turns. */
  const playFork = async (mismatch: "error" | "drop_block", boundReasoning: BoundReasoning) => {
    const server = await bindingServer(mismatch);
    const events: string[] = [];
    const onEvent = ({ type }: ContextEvent) => events.push(type);
    const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits: LIMITS, boundReasoning, onEvent });
    const thinking = boundReasoning === "leaves" ? { type: "adaptive" as const } : DROPPING;
    const options = boundReasoning === "leaves" ? {} : BETA;
    const step = async (messages: Anthropic.MessageParam[], said: string) => {
      const reply = await compactor.send(messages, (fitted) =>
        server.sdk.messages.create({ ...ASKED, thinking, messages: fitted }, options),
      );
      messages.push(...turnOf(reply.content, `${said}\n`.repeat(400), said));
    };
    const first: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
    while (!events.includes("compaction-end")) await step(first, "line of a file");
    for (let index = 0; index < 3; index++) await step(first, "line of a file");
    const second = structuredClone(first);
    first.push({ role: "user", content: "go this way" });
    second.push({ role: "user", content: "go that way" });
    for (let index = 0; index < 12; index++) {
      await step(first, "line of this way");
      await step(second, "line of that way");
    }
    await compactor.close();
    return { refused: server.refused(), drops: Math.max(...server.drops()), lastBody: JSON.stringify(server.bodies.at(-1)) };
  };

  test.each(["error", "drop_block"] as const)(
    "a fork behind a cut goes on without a refusal or a drop: %s",
    async (mismatch) => {
      const { lastBody, ...came } = await playFork(mismatch, "leaves");
      expect(came).toEqual({ refused: 0, drops: 0 });
      expect(lastBody).toContain('"signature"');
    },
  );

  test("what was cut stays for the vendor to drop if the caller asks for that", async () => {
    const { refused, drops } = await playFork("error", "vendor-drops");
    expect(refused).toBe(0);
    expect(drops).toBeGreaterThan(0);
  });
});

describe("thinking that is refused all the same", () => {
  /** Plays an array through a compactor; a new one takes it up each time, as after a restart without a store. */
  const playArray = async (sdk: Anthropic, restarts: number, stepsEach: number, policy: Policy = PLIMSOLL_POLICY) => {
    const messages: Anthropic.MessageParam[] = [];
    for (let round = 0; round <= restarts; round++) {
      const compactor = createMessagesCompactor({ policy, limits: LIMITS });
      messages.push({ role: "user", content: `round ${round}` });
      for (let step = 0; step < stepsEach; step++) {
        const reply = await compactor.send(messages, (fitted) =>
          sdk.messages.create({ ...ASKED, thinking: { type: "adaptive" }, messages: fitted }),
        );
        messages.push(...turnOf(reply.content));
      }
      await compactor.close();
    }
    return messages;
  };

  test("an array that is met in its middle loses it once, and goes on", async () => {
    const { sdk, refused } = await bindingServer();
    await playArray(sdk, 2, 14);
    expect(refused()).toBeGreaterThan(0);
    expect(refused()).toBeLessThanOrEqual(2);
  });

  test("without compaction the refusal reaches the caller", async () => {
    const { sdk } = await bindingServer();
    const messages = await playArray(sdk, 0, 3);
    const [, ...edited] = messages;
    const compactor = createMessagesCompactor({ policy: { ...PLIMSOLL_POLICY, enabled: false }, limits: LIMITS });
    const sent = compactor.send([{ role: "user", content: "another beginning" }, ...edited], (fitted) =>
      sdk.messages.create({ ...ASKED, messages: fitted }),
    );
    await expect(sent).rejects.toThrow(/bound to a different conversation/);
  });

  test("an edit by somebody else, and a damaged signature", async () => {
    const { sdk, refused } = await bindingServer();
    const messages = await playArray(sdk, 0, 3);
    const [, ...rest] = messages;
    const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits: LIMITS });
    const call = (fitted: Anthropic.MessageParam[]) => sdk.messages.create({ ...ASKED, messages: fitted });
    await compactor.send([{ role: "user", content: "another beginning" }, ...rest], call);
    expect(refused()).toBe(1);
    const damaged = JSON.parse(JSON.stringify(messages).replaceAll(/"signature":"[^"]{8}/g, '"signature":"damaged!'));
    await createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits: LIMITS }).send(damaged, call);
    expect(refused()).toBe(2);
  });
});

describe("an agent behind the proxy", () => {
  test("no request fails over a restart that keeps nothing, and what the vendor's beta says goes through", async () => {
    const bodies: unknown[] = [];
    const simulator = await startSimulator({
      replies: matrixScript("bound"),
      contextWindowTokens: 32_768,
      nowMs: () => 0,
      onRequest: (_wire, body) => bodies.push(body),
    });
    onTestFinished(() => simulator.close());
    const begin = () =>
      new Anthropic({
        ...{ apiKey: "key", baseURL: simulator.url, maxRetries: 0 },
        defaultHeaders: { "anthropic-beta": "thinking-binding-controls-2026-08-01" },
        fetch: fetchBehindProxy(proxyInMemory({ limits: LIMITS, onProblem: () => undefined })),
      });
    let sdk = begin();
    const thinking = { type: "adaptive" as const, block_binding: { prefix_mismatch_behavior: "error" } };
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "go" }];
    for (let step = 0; step < 30; step++) {
      sdk = step === 20 ? begin() : sdk;
      const { content } = await sdk.messages.create({ ...ASKED, thinking, messages });
      messages.push(...turnOf(content, "line of a file\n".repeat(300)));
    }
    expect(bodies.every((body) => JSON.stringify(body).includes("prefix_mismatch_behavior"))).toBe(true);
    const refused = simulator.exchanges().filter(({ outcome }) => outcome === "rejected");
    // Only after the restart the messages before it are unknown.
    expect(refused.length).toBeLessThanOrEqual(1);
  });
});
