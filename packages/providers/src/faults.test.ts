import { inspect } from "node:util";
import type { ModelClient, ModelEvent, ModelRequest } from "@plimsoll/core";
import { isPlimsollError } from "@plimsoll/core";
import { human, never } from "@plimsoll/core/testing";
import { type Fault, type Simulator, type SimulatorOptions, startSimulator } from "@plimsoll/simulator";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { CLIENTS, type ClientOf } from "../testing/wire-clients.ts";
import { createAnthropicClient } from "./anthropic/client.ts";
import { failureOf as failureFrom } from "./client/failure.ts";
import { createOpenAiChatClient } from "./openai-chat/client.ts";
import { decodeOpenAiChat } from "./openai-chat/decode.ts";
import { createOpenAiResponsesClient } from "./openai-responses/client.ts";
import { decodeOpenAiResponse } from "./openai-responses/decode.ts";

/** A key that no error, event or log may show. */
const KEY = "planted-key-4711";
const SECRET_TEXT = "planted text of a request";

/** Far more than any of these takes on a machine with nothing else to do. */
const SLOWEST_MS = 60_000;

const environment = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
const retry = { maximumAttempts: 3, firstWaitMs: 100, maximumWaitMs: 60_000 };

const request: ModelRequest = {
  context: { system: "", tools: [], messages: [human("1", SECRET_TEXT)], dynamicContext: null },
  modelId: "simulated",
  maxOutputTokens: 1_000,
};

interface Mode {
  readonly mode: string;
  readonly ask: (client: ModelClient, by?: AbortSignal) => Promise<unknown>;
}

const modes: readonly Mode[] = [
  { mode: "whole", ask: (client, by = never) => client.complete(request, by) },
  { mode: "streamed", ask: (client, by = never) => eventsOf(client.stream(request, by)) },
];

/** A client that waits for nothing, and for no answer too long, unless the options say so. */
const patient =
  (clientOf: ClientOf): ClientOf =>
  (simulator, options) =>
    clientOf(simulator, { environment, retry, wait: () => Promise.resolve(), ...options });

async function simulatorWith(options: Partial<SimulatorOptions>): Promise<Simulator> {
  const simulator = await startSimulator({ replies: [{ parts: [{ type: "text", text: "well done" }] }], ...options });
  onTestFinished(() => simulator.close());
  return simulator;
}

const failing = (fault: Fault): Partial<SimulatorOptions> => ({ faults: () => fault });

async function eventsOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const list: ModelEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

/** Returns the facts of the error that a request ended with, or says that there was none. */
async function failureOf(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return isPlimsollError(error) ? { code: error.code, ...error.details, shown: inspect(error, { depth: 10 }) } : error;
}

describe.each(Object.entries(CLIENTS))("%s", { timeout: SLOWEST_MS }, (_wire, create) => {
  const clientOf = patient(create);
  describe.each(modes)("$mode", ({ ask }) => {
    test.each<[string, Partial<SimulatorOptions>, object, number]>([
      ["429", failing({ kind: "status", status: 429 }), { class: "rate-limit", reason: "status", status: 429 }, 3],
      ["500", failing({ kind: "status", status: 500 }), { class: "transient", reason: "status", status: 500 }, 3],
      ["529", failing({ kind: "status", status: 529 }), { class: "transient", reason: "status", status: 529 }, 3],
      ["a cut answer", failing({ kind: "cut-stream", afterEvents: 3 }), { class: "transient", reason: "cut-stream" }, 3],
      ["an empty reply", failing({ kind: "empty-reply" }), { class: "transient", reason: "empty-reply" }, 3],
      ["a proxy that echoes the request", failing({ kind: "echo" }), { class: "transient", status: 502 }, 3],
      ["a wrong key", { key: "another" }, { class: "auth", status: 401 }, 1],
      ["an overflow", { contextWindowTokens: 1_004 }, { code: "context-overflow", class: "context-overflow" }, 1],
      [
        "a wait that is too long",
        failing({ kind: "status", status: 429, retryAfterSeconds: 3_600 }),
        { class: "rate-limit", retryAfterMs: 3_600_000 },
        1,
      ],
    ])("%s ends in its class after its attempts, and shows neither key nor text", async (_, options, expected, attempts) => {
      const simulator = await simulatorWith(options);
      const failure = await failureOf(ask(clientOf(simulator)));
      expect(failure).toMatchObject({ code: "provider-failed", ...expected });
      expect(JSON.stringify(failure)).not.toMatch(`${KEY}|${SECRET_TEXT}`);
      expect(simulator.exchanges()).toHaveLength(attempts);
    });

    test("what passes the second time is a reply", async () => {
      const waits: number[] = [];
      const simulator = await simulatorWith({
        faults: ({ index }) => (index === 0 ? { kind: "status", status: 529, retryAfterSeconds: 7 } : null),
      });
      const wait = (ms: number) => Promise.resolve(void waits.push(ms));
      expect(await failureOf(ask(clientOf(simulator, { wait })))).toBeNull();
      expect(waits).toEqual([7_000]);
    });

    test("an unreachable server is a fault of the moment", async () => {
      const simulator = await startSimulator({ replies: [] });
      await simulator.close();
      expect(await failureOf(ask(clientOf(simulator)))).toMatchObject({ class: "transient", reason: "connection" });
    });

    test("an abort before the request is sent", async () => {
      const simulator = await simulatorWith({});
      expect(await failureOf(ask(clientOf(simulator), AbortSignal.abort()))).toMatchObject({ code: "aborted" });
      expect(simulator.exchanges()).toEqual([]);
    });

    test("an abort while it waits for the next attempt", async () => {
      const controller = new AbortController();
      const simulator = await simulatorWith({ faults: () => ({ kind: "status", status: 529 }) });
      const wait = () => {
        controller.abort();
        return Promise.reject(controller.signal.reason);
      };
      expect(await failureOf(ask(clientOf(simulator, { wait }), controller.signal))).toMatchObject({ code: "aborted" });
      expect(simulator.exchanges()).toHaveLength(1);
    });
  });

  test("an error inside a stream takes back what came before it", async () => {
    const simulator = await simulatorWith({ faults: ({ index }) => (index === 0 ? { kind: "stream-error" } : null) });
    const events = await eventsOf(clientOf(simulator).stream(request, never));
    const types = events.map(({ type }) => type);
    expect(types).toContain("retry");
    expect(types.at(-1)).toBe("reply");
    expect(events.find(({ type }) => type === "retry")).toMatchObject({ class: "transient", attempt: 1, waitMs: 100 });
  });

  test("an abort in the middle of a slow stream", async () => {
    const controller = new AbortController();
    const pause = (index: number) => {
      if (index === 5) controller.abort();
      return Promise.resolve();
    };
    const simulator = await simulatorWith({ faults: () => ({ kind: "slow-stream", pause }) });
    expect(await failureOf(eventsOf(clientOf(simulator).stream(request, controller.signal)))).toMatchObject({
      code: "aborted",
    });
  });

  test("a stream that tells nothing is given up and asked for again", async () => {
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const pause = () => {
      begin();
      return new Promise<void>(() => undefined);
    };
    const simulator = await simulatorWith({ faults: ({ index }) => (index === 0 ? { kind: "slow-stream", pause } : null) });
    const limits: number[] = [];
    const idleWait = (ms: number) => (limits.push(ms) === 1 ? begun : new Promise<void>(() => undefined));
    const events = await eventsOf(clientOf(simulator, { idleWait, idleTimeoutMs: 9_000 }).stream(request, never));
    expect(events[0]).toEqual({ type: "retry", attempt: 1, class: "transient", waitMs: 100 });
    expect(events.at(-1)?.type).toBe("reply");
    expect(limits[0]).toBe(9_000);
  });

  test("one that falls silent after its first words is asked for again, too: the retry takes them back", async () => {
    const pause = (index: number) => (index < 6 ? Promise.resolve() : new Promise<void>(() => undefined));
    const simulator = await simulatorWith({ faults: ({ index }) => (index === 0 ? { kind: "slow-stream", pause } : null) });
    const types: string[] = [];
    const idleWait = () =>
      types.includes("text-delta") && !types.includes("retry") ? Promise.resolve() : new Promise<void>(() => undefined);
    for await (const { type } of clientOf(simulator, { idleWait }).stream(request, never)) types.push(type);
    expect(types.filter((type) => type === "retry")).toHaveLength(1);
    expect(types[0]).toBe("text-delta");
    expect(types.at(-1)).toBe("reply");
  });

  test("a reader that stops reading is not kept waiting for the rest", async () => {
    const pause = (index: number) => (index < 5 ? Promise.resolve() : new Promise<void>(() => undefined));
    const simulator = await simulatorWith({ faults: () => ({ kind: "slow-stream", pause }) });
    const types: string[] = [];
    for await (const event of clientOf(simulator).stream(request, never)) {
      types.push(event.type);
      break;
    }
    expect(types).toEqual(["text-delta"]);
  });

  test("a stream that is slow is a reply all the same", async () => {
    const pauses: number[] = [];
    const pause = (index: number) => Promise.resolve(void pauses.push(index));
    const simulator = await simulatorWith({ faults: () => ({ kind: "slow-stream", pause }) });
    expect((await eventsOf(clientOf(simulator).stream(request, never))).at(-1)).toMatchObject({ type: "reply" });
    expect(pauses.length).toBeGreaterThan(3);
  });

  test("usage that is not told is not made up", async () => {
    const simulator = await simulatorWith({ faults: () => ({ kind: "no-usage" }) });
    const { usage } = await clientOf(simulator).complete(request, never);
    expect(usage.input.totalTokens).toBeNull();
    expect(usage.billed).toEqual({ inputTokens: null, outputTokens: null });
  });

  test.each(modes)("nothing is written to the console, whatever the environment asks of the SDKs: $mode", async ({ ask }) => {
    vi.stubEnv("ANTHROPIC_LOG", "debug");
    vi.stubEnv("OPENAI_LOG", "debug");
    const written = (["debug", "info", "log", "warn", "error"] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation(() => undefined),
    );
    onTestFinished(() => {
      vi.unstubAllEnvs();
      for (const spy of written) spy.mockRestore();
    });
    const simulator = await simulatorWith({ faults: () => ({ kind: "status", status: 500 }) });
    await failureOf(ask(clientOf(simulator)));
    expect(written.flatMap((spy) => spy.mock.calls)).toEqual([]);
  });
});

test("a window that is full before anything is written is an overflow", async () => {
  const simulator = await simulatorWith({ replies: [{ parts: [], stop: "window-full" }] });
  const client = createAnthropicClient({ baseUrl: simulator.url, environment, retry });
  expect(await failureOf(client.complete(request, never))).toMatchObject({ code: "context-overflow" });
  expect(simulator.exchanges()).toHaveLength(1);
});

test("a refusal without words is a reply", async () => {
  const simulator = await simulatorWith({ replies: [{ parts: [], stop: "refusal" }] });
  const client = createAnthropicClient({ baseUrl: simulator.url, environment, retry });
  expect(await client.complete(request, never)).toMatchObject({ stopReason: "refusal", draft: { parts: [] } });
});

test.each([
  ["Chat Completions", () => decodeOpenAiChat({ error: { message: "Rate limit exceeded", code: 429 } }), "rate-limit"],
  [
    "Responses",
    () => decodeOpenAiResponse({ status: "failed", error: { code: "context_length_exceeded", message: "too long" } }),
    "context-overflow",
  ],
])("an error inside a good answer is an error: %s", async (_, decode, expected) => {
  const thrown = await Promise.resolve()
    .then(decode)
    .catch((error: unknown) => error);
  expect(failureFrom(thrown, { provider: "openai", key: KEY }).class).toBe(expected);
});

test.each<[string, () => ModelClient]>([
  ["ANTHROPIC_API_KEY", () => createAnthropicClient({ environment: {} })],
  ["OPENAI_API_KEY", () => createOpenAiChatClient({ environment: {} })],
  ["OPENAI_API_KEY", () => createOpenAiResponsesClient({ environment: { OPENAI_API_KEY: "" } })],
])("a key that is missing is named by its variable: %s", (variable, create) => {
  expect(create).toThrow(`no key: set the environment variable ${variable}`);
});
