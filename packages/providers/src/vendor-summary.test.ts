import {
  createDigest,
  createSession,
  decodeLog,
  encodeLog,
  isPlimsollError,
  type ModelClient,
  PLIMSOLL_POLICY,
  presetNamed,
  type SessionEntry,
  type SessionOptions,
  textOf,
  toolCallsOf,
} from "@plimsoll/core";
import { LOG_VERSION, modelChangeEntry, withId } from "@plimsoll/core/extend";
import { type SimulatedReply, type SimulatedRequest, type SimulatorOptions, startSimulator } from "@plimsoll/simulator";
import { describe, expect, onTestFinished, test } from "vitest";
import { validateMessagesRequest, validateResponsesRequest } from "../testing/vendor-rules.ts";
import { createAnthropicClient } from "./anthropic/client.ts";
import { isBoundReasoning } from "./catalog/bound-reasoning.ts";
import { parseRecord, vendorBlockOf } from "./fields.ts";
import { createOpenAiResponsesClient } from "./openai-responses/client.ts";

const POLICY = presetNamed("plimsoll-vendor") ?? PLIMSOLL_POLICY;
const LIMITS = { contextWindowTokens: 65_536, maxOutputTokens: 4_000 };
const TOOL = { name: "read_file", description: "Reads a file.", parametersJson: '{"type":"object","properties":{}}' };
const CLAUDE = "claude-fable-5-2";

/** A summary where one is asked for; else a call, and words after every thirtieth. */
function scripted({ asks, replyIndex }: SimulatedRequest): SimulatedReply {
  if (asks === "summary") return { parts: [{ type: "text", text: "The vendor's summary. ".repeat(60) }] };
  if (replyIndex % 30 === 29) return { parts: [{ type: "text", text: `Part ${replyIndex} is read.` }] };
  return { parts: [{ type: "tool-call", toolName: TOOL.name, argumentsJson: `{"path":"src/${replyIndex}.ts"}` }] };
}

/** A session with its vendor, step by step. */
async function playing(
  options: Partial<SimulatorOptions> = {},
  wire: "anthropic" | "responses" = "anthropic",
  given: Partial<SessionOptions> = {},
) {
  const bodies: unknown[] = [];
  const simulator = await startSimulator({
    replies: scripted,
    reasoning: "every-reply",
    contextWindowTokens: LIMITS.contextWindowTokens,
    nowMs: () => 0,
    onRequest: (_, body) => bodies.push(body),
    ...options,
  });
  onTestFinished(() => simulator.close());
  const shared = { keyVariable: null, retry: { maximumAttempts: 1, firstWaitMs: 0, maximumWaitMs: 0 } };
  const client: ModelClient =
    wire === "anthropic"
      ? createAnthropicClient({ baseUrl: simulator.url, ...shared })
      : createOpenAiResponsesClient({ baseUrl: simulator.openAiUrl, ...shared });
  const { compact } = client;
  const session = createSession({
    policy: POLICY,
    summarizer: createDigest(),
    isBoundReasoning,
    ...(compact === undefined ? {} : { compact }),
    ...given,
  });
  let modelId = wire === "anthropic" ? CLAUDE : "gpt-6";
  const signal = new AbortController().signal;
  const system = "You read files.";
  session.append({
    type: "session",
    version: LOG_VERSION,
    id: "s",
    createdMs: null,
    system,
    tools: [TOOL],
    parent: null,
    agent: null,
  });
  session.append(modelChangeEntry(session.view(), { modelId, limits: LIMITS }, null));
  const switchTo = async (id: string) => {
    modelId = id;
    await session.switchModel({ modelId, limits: LIMITS }, { gate: "before-step", pending: [], model: LIMITS }, signal);
  };
  const step = async (index: number) => {
    const newest = session.view().messages.at(session.view().messages.size - 1);
    if (newest === undefined || newest.role === "assistant")
      await session.say({
        role: "user",
        origin: "human",
        parts: [{ type: "text", text: `Read on from ${index}.` }],
        atMs: null,
      });
    await session.fit({ gate: "before-step", pending: [], model: LIMITS }, signal);
    const ask = () => client.complete({ context: session.context(), modelId, maxOutputTokens: 4_000 }, signal);
    const reply = await ask().catch(async (error: unknown) => {
      if (!isPlimsollError(error) || Object(error.details.outcome).kind !== "reasoning-refused") throw error;
      await session.leaveReasoning("named");
      return await ask();
    });
    const view = session.view();
    const { requestId, usage } = reply;
    await session.report(view, { requestId, modelId, usage });
    const message = withId(reply.draft, view.lastEntryId);
    session.append({ type: "message", message });
    for (const { callId, toolName } of toolCallsOf(message)) {
      const text = `${index}: line of a file\n`.repeat(200);
      const said = {
        callId,
        toolName,
        isError: false,
        category: "file-content",
        parts: [{ type: "text", text }],
        atMs: null,
      } as const;
      await session.say({ role: "tool-result", ...said });
    }
  };
  const refused = () => simulator.exchanges().filter(({ outcome }) => outcome === "rejected").length;
  const dropped = () => simulator.exchanges().reduce((sum, { drops }) => sum + drops.length, 0);
  const cuts = () => session.entries().filter((entry) => entry.type === "compaction");
  return { session, step, switchTo, refused, dropped, cuts, bodies, simulator };
}

const writersOf = (cuts: readonly SessionEntry[]) =>
  cuts
    .flatMap((entry) => (entry.type === "compaction" ? entry.edits : []))
    .flatMap((edit) => (edit.kind === "replace-spans" ? [edit.by] : []));

const lostBy = (cuts: readonly SessionEntry[]) =>
  cuts.reduce((sum, entry) => sum + ("removedReasoning" in entry ? (entry.removedReasoning?.length ?? 0) : 0), 0);

describe.each([
  ["anthropic", "claude-opus-5-5", validateMessagesRequest],
  ["responses", "gpt-6.1", validateResponsesRequest],
] as const)("200 steps on %s at 64k", (wire, other, judge) => {
  test("no thinking of kept turns is lost and nothing is refused, with an undo and a switch of model", async () => {
    const { session, step, switchTo, refused, dropped, cuts, bodies } = await playing({}, wire);
    for (let index = 0; index < 200; index++) {
      if (index === 90) await session.undo();
      if (index === 130) await switchTo(other);
      await step(index);
    }
    expect(writersOf(cuts()).length).toBeGreaterThanOrEqual(4);
    expect(new Set(writersOf(cuts()))).toEqual(new Set(["vendor"]));
    expect({ refused: refused(), dropped: dropped(), lost: lostBy(cuts()) }).toEqual({ refused: 0, dropped: 0, lost: 0 });
    expect(bodies.flatMap((body) => judge(body))).toEqual([]);
    const asked = session.context().messages.filter((message) => message.role === "user" && message.origin === "human");
    expect(textOf(asked.at(-1) ?? { role: "user", id: "", origin: "human", parts: [], atMs: null })).toContain(
      "Read on from 180",
    );
  });
});

/** Steps until so many cuts. */
async function until(count: number, { step, cuts }: Awaited<ReturnType<typeof playing>>, from = 0): Promise<number> {
  let index = from;
  for (; cuts().length < count && index < from + 200; index++) await step(index);
  return index;
}

const isSummary = (body: unknown) => parseRecord(JSON.stringify(body))?.compaction !== undefined;
const notWritten = (reply: SimulatedReply) => ({
  replies: (request: SimulatedRequest) => (request.asks === "summary" ? reply : scripted(request)),
});
const never = () => new Promise<never>(() => undefined);

describe("the digest is written at once, and the vendor is asked no more than once", () => {
  test.each<[string, Partial<SimulatorOptions>, Partial<SessionOptions>]>([
    ["it refuses", { rules: { compactEndpoint: "off" } }, {}],
    ["it answers empty", notWritten({ parts: [] }), {}],
    ["it is cut off", notWritten({ parts: [{ type: "text", text: "so" }], stop: "length" }), {}],
    ["it calls a tool", notWritten({ parts: [{ type: "tool-call", toolName: TOOL.name, argumentsJson: "{}" }] }), {}],
    ["it is overloaded", { faults: ({ asks }) => (asks === "summary" ? { kind: "status", status: 529 } : null) }, {}],
    ["it is late", {}, { compact: never, answerDeadlineMs: 5, wait: async () => undefined }],
    ["it has no such request", {}, { compact: undefined } as Partial<SessionOptions>],
  ])("%s", async (_, options, given) => {
    const played = await playing(options, "anthropic", given);
    await until(2, played);
    expect(writersOf(played.cuts())).toEqual(["digest", "digest"]);
    expect(played.bodies.filter(isSummary).length).toBeLessThanOrEqual(1);
  });
});

describe.each(["anthropic", "responses"] as const)("a block on %s", (wire) => {
  test("that is refused leaves once, and the digest is sent", async () => {
    const rules: { summaries?: "refused" } = {};
    const played = await playing({ rules }, wire);
    const index = await until(1, played);
    rules.summaries = "refused";
    await until(2, played, index);
    expect(played.refused()).toBe(1);
    expect(writersOf(played.cuts())).toEqual(["vendor", "digest"]);
  });

  test("of another model is not sent to this one", async () => {
    const played = await playing({}, wire);
    await until(1, played);
    const first = () => played.session.context().messages[0];
    expect(first()).toMatchObject({ role: "assistant", origin: "summary" });
    await played.switchTo("claude-opus-5-5");
    expect(first()).toMatchObject({ role: "user", origin: "summary" });
    await played.step(200);
    expect(played.refused()).toBe(0);
  });

  test("is the same in a log that is opened again, and is gone after an undo", async () => {
    const played = await playing({}, wire);
    await until(1, played);
    const { entries } = decodeLog(encodeLog(played.session.entries()), "log");
    const again = createSession({ policy: POLICY, summarizer: createDigest(), isBoundReasoning, entries });
    expect(again.context()).toEqual(played.session.context());
    await again.undo();
    expect(again.context().messages.some((message) => vendorBlockOf(message) !== undefined)).toBe(false);
  });
});

test("a call that wrote no summary counts with its own usage, in the log and after it is opened again", async () => {
  const played = await playing(notWritten({ parts: [{ type: "text", text: "so" }], stop: "length" }));
  await until(1, played);
  const [cut] = played.cuts();
  const paid = cut?.type === "compaction" ? cut.record.steps.flatMap(({ usage }) => usage ?? []) : [];
  expect(paid).toHaveLength(1);
  expect(paid[0]?.input.totalTokens).toBeGreaterThan(30_000);
  const { entries } = decodeLog(encodeLog(played.session.entries()), "log");
  const again = createSession({ policy: POLICY, summarizer: createDigest(), entries });
  expect(again.totals()).toEqual(played.session.totals());
  const asked = entries.filter(({ type }) => type === "usage").length;
  expect(played.session.totals().requests).toBe(asked + 1);
});

test("its own usage counts", async () => {
  const played = await playing();
  await until(1, played);
  const [cut] = played.cuts();
  const edit = cut?.type === "compaction" ? cut.edits[0] : undefined;
  expect(edit?.kind === "replace-spans" ? edit.usage?.input.totalTokens : 0).toBeGreaterThan(30_000);
  expect(played.session.totals().inputTokens).toBeGreaterThan(
    edit?.kind === "replace-spans" ? (edit.usage?.input.totalTokens ?? 0) : 0,
  );
});
