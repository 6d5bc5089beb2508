import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAgent } from "@plimsoll/agent";
import { createTelemetry } from "@plimsoll/agent/telemetry";
import { createSerialPool, createThreadPool, runBench, tune } from "@plimsoll/bench";
import {
  admitToolResult,
  contextTools,
  createDigest,
  createKeyRedactor,
  createMemoryArtifactStore,
  createModelSummarizer,
  createRedactor,
  createSession,
  definePolicy,
  PLIMSOLL_POLICY,
  piPolicy,
  repairMessages,
  svenPolicy,
  usageOf,
} from "@plimsoll/core";
import { defineEstimator, defineKeepRule, defineMeasure, defineStrategy, withKinds } from "@plimsoll/core/extend";
import { createSpending, modelCostsFrom, probeServer, resolveModel } from "@plimsoll/providers";
import { createAnthropicClient, createAnthropicSession } from "@plimsoll/providers/anthropic";
import { createCompactionMiddleware } from "@plimsoll/providers/drop-in/ai-sdk";
import { createMessagesCompactor } from "@plimsoll/providers/drop-in/anthropic";
import { createContentsCompactor } from "@plimsoll/providers/drop-in/google-genai";
import { createLangChainMiddleware } from "@plimsoll/providers/drop-in/langchain";
import { createAgentItemsCompactor, createCompactingModel } from "@plimsoll/providers/drop-in/openai-agents";
import { createChatCompactor } from "@plimsoll/providers/drop-in/openai-chat";
import { createItemsCompactor } from "@plimsoll/providers/drop-in/openai-responses";
import { createPiExtension } from "@plimsoll/providers/drop-in/pi";
import { createChatSession, createOpenAiChatClient } from "@plimsoll/providers/openai-chat";
import { createOpenAiResponsesClient, createResponsesSession } from "@plimsoll/providers/openai-responses";
import { createConversationKeys, createLearnedLimits, createProxyCompaction } from "@plimsoll/providers/proxy";
import { type SimulatorOptions, startSimulator } from "@plimsoll/simulator";
import { createFileArtifactStore, createFileSessionStore, createMemorySessionStore, loadPolicy } from "@plimsoll/stores";
import { createPostgresStore } from "@plimsoll/stores/postgres";
import { createRedisStore } from "@plimsoll/stores/redis";
import { createSqliteStore } from "@plimsoll/stores/sqlite";
import { createBuiltinTools, defineTool, fsTool, openWorkspace, readLintsTool, shellTool } from "@plimsoll/tools";
import { mcpTools } from "@plimsoll/tools/mcp";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-options-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ok = () => null;
const NEVER = new AbortController().signal;
const environment = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };
const limits = { contextWindowTokens: 16_000, maxOutputTokens: 1_000 };
const sessions = createMemorySessionStore();
const artifacts = createMemoryArtifactStore();

/** A store as a user may write one: its functions are its class's. */
class OwnStore {
  readonly #inner = sessions;
  create = this.#inner.create;
  open = this.#inner.open;
  read(...given: Parameters<typeof sessions.read>) {
    return this.#inner.read(...given);
  }
}
const client = { complete: ok, stream: ok };
const compactor = { policy: "plimsoll", limits, limitsOf: ok, sessions: new OwnStore(), onEvent: ok, maximumChars: 10 };
const request = { model: "m", max_tokens: 1_000 };
const sdk = { request, limits, policy: PLIMSOLL_POLICY, sessionId: "s" };
const http = { environment, baseUrl: "http://localhost", idleTimeoutMs: 1 };
const session = { policy: PLIMSOLL_POLICY, summarizer: createDigest(), pinned: ["a"], answerDeadlineMs: 5, modelPriors: ok };
const agent = {
  session: { kind: "new", sessionId: "s", system: "" },
  sessions,
  model: { client, modelId: "m", limits },
  policy: PLIMSOLL_POLICY,
  tools: [],
  artifacts,
  nowMs: () => 0,
  maxSteps: 3,
};
const proxy = {
  policy: PLIMSOLL_POLICY,
  limitsOf: () => limits,
  sessions: null,
  keys: { keyFor: ok },
  learned: createLearnedLimits(),
  onProblem: ok,
};
const bench = { files: [], policies: [], windows: [], plimsollVersion: "0", onProgress: ok };
const tool = { name: "t", description: "", input: z.string(), category: "generic", effect: { kind: "read" }, run: ok };
const meter = { createHistogram: ok, createGauge: ok, createCounter: ok, createUpDownCounter: ok };
const pool = { listeners: () => [], on: ok, connect: ok };

const workspace = { root: "/w", place: ok, entryPlace: ok, nameOf: ok };

const RESULT = {
  role: "tool-result",
  id: "r",
  callId: "c",
  toolName: "t",
  isError: false,
  category: "generic",
  parts: [],
  atMs: null,
};

type Options = Readonly<Record<string, unknown>>;
type Make = (...given: never[]) => unknown;

/** A maker, its options, and its arguments before them. Keys that it cannot do without come first in `needed`. */
const MAKERS: readonly (readonly [
  name: string,
  make: Make,
  given: Options,
  needed: readonly string[],
  before?: readonly unknown[],
])[] = [
  ["createSession", createSession, session, ["policy", "summarizer"]],
  ["createModelSummarizer", createModelSummarizer, { modelId: "m" }, ["modelId"], [client]],
  ["createDigest", createDigest, { maximumChars: 10 }, ["maximumChars"]],
  ["piPolicy", piPolicy, { enabled: true, context_window: 90_000, keep_recent_tokens: 10 }, []],
  ["svenPolicy", svenPolicy, { compaction_threshold: 0.5, compaction_strategy: "narrative" }, []],
  ["startAgent", startAgent, agent, ["session", "sessions", "model", "policy", "tools", "artifacts", "nowMs"]],
  ["createTelemetry", createTelemetry, { tracer: { startSpan: ok }, meter }, ["tracer", "meter"]],
  ["createMessagesCompactor", createMessagesCompactor, compactor, ["policy"]],
  ["createChatCompactor", createChatCompactor, compactor, ["policy"]],
  ["createItemsCompactor", createItemsCompactor, compactor, ["policy"]],
  ["createContentsCompactor", createContentsCompactor, compactor, ["policy"]],
  ["createAgentItemsCompactor", createAgentItemsCompactor, compactor, ["policy"]],
  [
    "createCompactingModel",
    createCompactingModel,
    { ...compactor, conversation: ok },
    ["policy"],
    [{ getResponse: ok, getStreamedResponse: ok }],
  ],
  ["createCompactionMiddleware", createCompactionMiddleware, { ...compactor, conversation: ok }, ["policy"]],
  ["createLangChainMiddleware", createLangChainMiddleware, { ...compactor, conversation: ok }, ["policy"]],
  ["createPiExtension", createPiExtension, { policy: PLIMSOLL_POLICY, onEvent: ok }, []],
  ["createAnthropicSession", createAnthropicSession, { ...sdk, boundReasoning: "leaves" }, ["request"]],
  ["createChatSession", createChatSession, sdk, ["request"]],
  ["createResponsesSession", createResponsesSession, sdk, ["request"]],
  ["createAnthropicClient", createAnthropicClient, { ...http, cacheTimeToLive: "5m" }, []],
  ["createOpenAiChatClient", createOpenAiChatClient, http, []],
  ["createOpenAiResponsesClient", createOpenAiResponsesClient, http, []],
  ["createProxyCompaction", createProxyCompaction, proxy, ["policy", "sessions", "keys", "learned"]],
  [
    "admitToolResult",
    admitToolResult,
    { policy: PLIMSOLL_POLICY, artifacts, hint: null, answerDeadlineMs: 5 },
    ["policy", "artifacts"],
    [RESULT],
  ],
  ["createFileSessionStore", createFileSessionStore, { folder: "/nowhere", sync: "on-close" }, ["folder"]],
  ["createSqliteStore", createSqliteStore, { file: join(folder, "store.db"), leaseMs: 5 }, ["file"]],
  ["createRedisStore", createRedisStore, { prefix: "p", leaseMs: 5 }, [], [ok]],
  ["createPostgresStore", createPostgresStore, { leaseMs: 5 }, [], [pool]],
  ["createBuiltinTools", createBuiltinTools, { workspaceFolder: ".", env: {}, timeoutMs: 5 }, ["workspaceFolder", "env"]],
  ["defineTool", defineTool, tool, ["name", "description", "input", "category", "effect", "run"]],
  ["runBench", runBench, bench, ["files", "policies", "windows", "plimsollVersion"]],
  ["createThreadPool", createThreadPool, { modules: [] }, [], [0]],
  ["createSerialPool", createSerialPool, { environment }, []],
  ["resolveModel", resolveModel, { reference: "m", unknownWindow: "off", config: limits }, ["reference", "unknownWindow"]],
  [
    "probeServer",
    probeServer,
    { getJson: async () => ({ data: [] }), signal: NEVER },
    ["getJson", "signal"],
    ["http://h/v1", "m"],
  ],
  ["startSimulator", simulated, { replies: [], contextWindowTokens: 9_000, prefill: "accept", onExchange: ok }, ["replies"]],
  ["fsTool", fsTool, { workspace }, ["workspace"]],
  ["shellTool", shellTool, { workspace, env: {}, timeoutMs: 5 }, ["workspace", "env"]],
  [
    "readLintsTool",
    readLintsTool,
    { workspace, env: {}, timeoutMs: 5, lintCommand: null },
    ["workspace", "env", "lintCommand"],
  ],
];

async function simulated(options: SimulatorOptions): Promise<object> {
  const simulator = await startSimulator(options);
  await simulator.close();
  return simulator;
}

const made = async (make: Make, before: readonly unknown[], given: unknown): Promise<unknown> =>
  await Reflect.apply(make, undefined, [...before, given]);

const without = (given: Options, gone: string): Options =>
  Object.fromEntries(Object.entries(given).filter(([key]) => key !== gone));

/** A value at a path of keys, with all around it as it is. */
const put = (given: Options, [key = "", ...rest]: readonly string[], value: unknown): Options => {
  const inner = given[key];
  return { ...given, [key]: rest.length === 0 ? value : put({ ...(inner instanceof Object ? inner : {}) }, rest, value) };
};

/** Paths to all plain values of options. */
const pathsIn = (given: Options): readonly (readonly string[])[] =>
  Object.entries(given).flatMap(([key, value]) =>
    key === "limits" || key === "model" ? [[key], ...pathsIn({ ...(value ?? {}) }).map((path) => [key, ...path])] : [[key]],
  );

const inner = (given: Options, path: readonly string[]) =>
  path.reduce<unknown>((at, key) => Reflect.get(Object(at), key), given);

type Fault = readonly [what: string, given: unknown, message: string, key: string];

const NO_OPTIONS: Fault = ["no options but null", null, "received null", ""];

type Row = readonly [
  name: string,
  what: string,
  Make,
  before: readonly unknown[],
  faulty: unknown,
  message: string,
  key: string,
];

const FAULTS = MAKERS.flatMap(([name, make, given, needed, before = []]) => {
  const forgotten = needed.map((key): Fault => [`no ${key}`, without(given, key), `missing key "${key}"`, key]);
  const misspelt = Object.keys(given).map((key): Fault => {
    const wrong = `${key}X`;
    return [wrong, { ...without(given, key), [wrong]: given[key] }, `unknown key "${wrong}": did you mean ${key}?`, wrong];
  });
  const beside: Fault = ["a key beside right ones", { ...given, unheardOf: 1 }, 'unknown key "unheardOf"', "unheardOf"];
  const paths = pathsIn(given);
  const another = paths.map(
    (path): Fault => [`a symbol as ${path.join(".")}`, put(given, path, Symbol("x")), `${path.join(".")}: `, path.join(".")],
  );
  const counts = paths.filter((path) => typeof inner(given, path) === "number");
  const figures = counts.flatMap((path) =>
    [Number.NaN, Number.POSITIVE_INFINITY, -1, "16000"].map(
      (value): Fault => [
        `${String(value)} as ${path.join(".")}`,
        put(given, path, value),
        `${path.join(".")}: `,
        path.join("."),
      ],
    ),
  );
  const nested = "limits" in given && given.limits === limits ? [["limits"]] : "model" in given ? [["model", "limits"]] : [];
  const limit = nested.flatMap((path): readonly Fault[] => [
    [
      `contextWindow in ${path.join(".")}`,
      put(given, path, { contextWindow: 16_000 }),
      `in ${path.join(".")}: did you mean contextWindowTokens?`,
      `${path.join(".")}.contextWindow`,
    ],
    [
      `no maxOutputTokens in ${path.join(".")}`,
      put(given, path, { contextWindowTokens: 1 }),
      `missing key "maxOutputTokens" in ${path.join(".")}`,
      `${path.join(".")}.maxOutputTokens`,
    ],
    [
      `a reply longer than the window in ${path.join(".")}`,
      put(given, path, { contextWindowTokens: 8_000, maxOutputTokens: 8_001 }),
      `${path.join(".")}.maxOutputTokens: expected at most contextWindowTokens`,
      `${path.join(".")}.maxOutputTokens`,
    ],
  ]);
  return [...forgotten, ...misspelt, beside, ...another, ...figures, ...limit, NO_OPTIONS].map(
    ([what, faulty, message, key]): Row => [name, what, make, before, faulty, message, key],
  );
});

test.each(FAULTS)("%s refuses %s", async (_, __, make, before, faulty, message, key) => {
  const error = await made(make, before, faulty).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: "PlimsollError", code: "bad-input", message: expect.stringContaining(message) });
  expect(error).toMatchObject({ details: { key: expect.stringContaining(key) } });
});

test.each<[string, () => unknown, string]>([
  ["createFileArtifactStore without a folder", () => Reflect.apply(createFileArtifactStore, undefined, []), "folder"],
  ["createFileArtifactStore in a number", () => Reflect.apply(createFileArtifactStore, undefined, [Number.NaN]), "folder"],
  ["createSpending without prices", () => Reflect.apply(createSpending, undefined, []), "pricesOf"],
  ["createSpending by a number", () => Reflect.apply(createSpending, undefined, [ok, Number.NaN]), "summaryModelId"],
  ["probeServer without a model", () => Reflect.apply(probeServer, undefined, ["http://h/v1", undefined, {}]), "modelId"],
  ["createRedactor of an object", () => Reflect.apply(createRedactor, undefined, [{}]), ""],
  ["createRedactor of a secret without a value", () => Reflect.apply(createRedactor, undefined, [[{ name: "a" }]]), "0.value"],
  ["createKeyRedactor of null", () => Reflect.apply(createKeyRedactor, undefined, [null]), ""],
  ["repairMessages of an object", () => Reflect.apply(repairMessages, undefined, [{}]), "messages"],
  ["repairMessages of a list of others", () => Reflect.apply(repairMessages, undefined, [[{ role: "user" }]]), "messages"],
  ["admitToolResult of nothing", () => Reflect.apply(admitToolResult, undefined, []), "parts"],
  ["usageOf nothing", () => Reflect.apply(usageOf, undefined, []), ""],
  ["usageOf NaN", () => usageOf({ totalInputTokens: Number.NaN }), "totalInputTokens"],
  ["usageOf a text", () => Reflect.apply(usageOf, undefined, [{ outputTokens: "7" }]), "outputTokens"],
  ["usageOf a misspelt key", () => Reflect.apply(usageOf, undefined, [{ totalInputToken: 7 }]), "totalInputToken"],
  ["createConversationKeys of nothing", () => Reflect.apply(createConversationKeys, undefined, []), "notes"],
  ["createConversationKeys without a writer", () => Reflect.apply(createConversationKeys, undefined, [[]]), "write"],
  ["modelCostsFrom nothing", () => Reflect.apply(modelCostsFrom, undefined, [{}]), ""],
  ["withKinds of a misspelt list", () => Reflect.apply(withKinds, undefined, [{ keepRule: [] }]), "keepRule"],
  ["defineStrategy without a plan", () => Reflect.apply(defineStrategy, undefined, [{ kind: "own", needsModel: ok }]), ""],
  ["defineKeepRule without a rule", () => Reflect.apply(defineKeepRule, undefined, [{ kind: "own" }]), ""],
  ["defineEstimator without a schema", () => Reflect.apply(defineEstimator, undefined, [{ kind: "own" }]), ""],
  ["defineMeasure of null", () => Reflect.apply(defineMeasure, undefined, [null]), ""],
  ["createPostgresStore of null", () => Reflect.apply(createPostgresStore, undefined, [null]), ""],
  ["createRedisStore of an object", () => Reflect.apply(createRedisStore, undefined, [{}]), ""],
  ["mcpTools of an object", () => Reflect.apply(mcpTools, undefined, [{}]), ""],
  ["loadPolicy of nothing", () => Reflect.apply(loadPolicy, undefined, []), ""],
  ["openWorkspace of nothing", () => Reflect.apply(openWorkspace, undefined, []), ""],
  ["tune without a replay", () => Reflect.apply(tune, undefined, [[PLIMSOLL_POLICY]]), "replay"],
  ["contextTools of no session", () => Reflect.apply(contextTools, undefined, [{}]), ""],
  ["contextTools from 2", () => contextTools(Reflect.apply(createSession, undefined, [session]), { from: 2 }), "from"],
  ["tune of a name", () => Reflect.apply(tune, undefined, [["plimsoll"], ok]), "policies.0"],
])("%s is refused with the key", async (_, make, key) => {
  await expect((async () => await make())()).rejects.toMatchObject({ code: "bad-input", details: { key } });
});

const RIGHT = MAKERS.map(([name, make, given, _, before = []]) => [name, make, given, before] as const);

test.each(RIGHT)("%s takes right options", async (_, make, given, before) => {
  await expect(made(make, before, given)).resolves.toBeDefined();
});

const fitted = (more: Options) => async () => {
  const { fit } = createSession({ policy: PLIMSOLL_POLICY, summarizer: createDigest() });
  return await Reflect.apply(fit, undefined, [{ gate: "before-step", pending: [], model: limits, ...more }, NEVER]);
};
const asked = (options: Options, request: Options) => async () => {
  const { fit } = Reflect.apply(createMessagesCompactor, undefined, [{ policy: PLIMSOLL_POLICY, limits, ...options }]);
  return await Reflect.apply(fit, undefined, [[{ role: "user", content: "Hi" }], request]);
};
const CATALOG = { limits: undefined, model: "m" };
const misspelt = { contextWindow: 16_000, maxOutputTokens: null };
const nearest = "did you mean contextWindowTokens?";

test.each<[string, () => Promise<unknown>, string, string]>([
  ["a fit's limits", fitted({ model: misspelt }), "bad-input", nearest],
  ["a fit's window", fitted({ model: { ...limits, contextWindowTokens: Number.NaN } }), "bad-input", "received NaN"],
  ["a fit without limits", fitted({ model: undefined }), "bad-input", 'missing key "model"'],
  ["a fit's gate", fitted({ gat: "before-step" }), "bad-input", "did you mean gate?"],
  ["a fit's reason", fitted({ now: { reason: "manual", kep: null } }), "bad-input", "did you mean keep?"],
  ["an answer of limits", asked({ ...CATALOG, limitsOf: () => misspelt }, {}), "bad-input", nearest],
  ["no answer of limits", asked({ ...CATALOG, limitsOf: () => undefined }, {}), "bad-input", "contextWindowTokens"],
  ["a request's limits", asked({}, { limits: misspelt }), "bad-input", nearest],
  ["a request's key", asked({}, { conversatoin: "a" }), "bad-input", "did you mean conversation?"],
  ["a part of a policy", asked({ policy: { ...PLIMSOLL_POLICY, triger: 1 } }, {}), "bad-policy", "did you mean trigger?"],
  [
    "a figure of a policy",
    asked({ policy: put({ ...PLIMSOLL_POLICY }, ["facts", "maxTokens"], Number.NaN) }, {}),
    "bad-policy",
    "facts.maxTokens",
  ],
  ["a knob", async () => Reflect.apply(definePolicy, undefined, [{ actsAt: "75%" }]), "bad-policy", "did you mean actAt?"],
])("%s is refused where it is given", async (_, use, code, message) => {
  await expect(use()).rejects.toMatchObject({ name: "PlimsollError", code, message: expect.stringContaining(message) });
});
