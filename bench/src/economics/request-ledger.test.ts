import { NONE_POLICY, type Policy, type SessionEntry, SVEN_POLICY, usageOf } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import { type MadeSession, madeTranscript } from "../../testing/made-session.ts";
import { cellOf, type WindowRequest } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import { prepareSession } from "../open/prepared-session.ts";
import type { Transcript } from "../transcript.ts";
import { NO_SIGNS, type SessionCache, sessionCache } from "./recorded-cache.ts";
import { createRequestLedger, type ServedStep } from "./request-ledger.ts";
import { SUMMARY_PROMPT_TOKENS, SUMMARY_REPLY_TOKENS } from "./summary-charge.ts";

const MADE: MadeSession = { turns: 6, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 };
const ROOMY = { kind: "working-room", tokens: 500_000 } as const;
const TIGHT = { kind: "working-room", tokens: 24_000 } as const;
const EXACT: SessionCache = {
  rulesFor: () => ({ minimumTokens: 1024, stepTokens: 1, timeToLiveMs: 300_000 }),
  warmBaseTokens: 0,
  countsWrites: true,
  recorded: NO_SIGNS,
};

interface Step {
  readonly sent: ReplayedCall;
  readonly served: ServedStep;
}

async function stepsOf(transcript: Transcript, policy: Policy, window: WindowRequest): Promise<readonly Step[]> {
  const session = prepareSession(transcript);
  const cell = cellOf(session, { policy, window, catalog: MODEL_CATALOG });
  const serve = createRequestLedger(session, cell, EXACT);
  const steps: Step[] = [];
  await drive(session, cell, (sent) => steps.push({ sent, served: serve(sent) }));
  return steps;
}

/** The transcript with a clock: each message a second after the one before it, and a pause before one of them. */
function timed(transcript: Transcript, pause: { readonly beforeId: string; readonly ms: number }): Transcript {
  let nowMs = 0;
  const entries = transcript.entries.map((entry): SessionEntry => {
    if (entry.type !== "message") return entry;
    nowMs += entry.message.id === pause.beforeId ? pause.ms : 1000;
    return { ...entry, message: { ...entry.message, atMs: nowMs } };
  });
  return { ...transcript, entries };
}

/** The entry with 100 tokens of its prompt reported as read from a cache. */
function withCacheRead(entry: SessionEntry): SessionEntry {
  if (entry.type !== "usage") return entry;
  const usage = usageOf({ totalInputTokens: entry.usage.input.totalTokens, cacheReadTokens: 100, outputTokens: 0 });
  return { ...entry, usage };
}

describe("createRequestLedger", () => {
  test("a session that only grows reads at each call what it sent at the call before", async () => {
    const steps = await stepsOf(madeTranscript(MADE), NONE_POLICY, ROOMY);
    expect(steps[0]?.served.call.state).toBe("first");
    for (const [index, { sent, served }] of steps.entries()) {
      const before = steps[index - 1]?.sent.promptTokens ?? 0;
      expect([served.call.readTokens, served.call.writeTokens]).toEqual([before, sent.promptTokens - before]);
    }
  });

  test("a compaction breaks the cache: only what stands before the messages is read", async () => {
    const steps = await stepsOf(madeTranscript(MADE), SVEN_POLICY, TIGHT);
    const broken = steps.filter(({ served }) => served.call.state === "broken");
    expect(broken.length).toBe(steps.filter(({ sent }) => sent.compactions.length > 0).length);
    for (const { sent, served } of broken) expect(served.call.readTokens).toBe(sent.nonMessageTokens);
  });

  test("after the time to live everything is written again", async () => {
    const transcript = timed(madeTranscript(MADE), { beforeId: "human-3", ms: 300_001 });
    const steps = await stepsOf(transcript, NONE_POLICY, ROOMY);
    const expired = steps.filter(({ served }) => served.call.state === "expired");
    expect(expired.map(({ served }) => served.call.readTokens)).toEqual([0]);
  });

  test("a serialised summary is charged for what it covers, and nothing of it is cached", async () => {
    const steps = await stepsOf(madeTranscript(MADE), SVEN_POLICY, TIGHT);
    const asked = steps.flatMap(({ served }) => served.summaries);
    expect(asked.length).toBeGreaterThanOrEqual(2);
    for (const { use } of asked) {
      expect([use.readTokens, use.writeTokens]).toEqual([0, 0]);
      expect(use.uncachedTokens).toBeGreaterThan(5000 + SUMMARY_PROMPT_TOKENS);
    }
  });

  test("a serialised summary is charged for results as far as the policy's cap leaves them", async () => {
    const promptsAt = async (resultCapChars: number | null) => {
      const policy: Policy = { ...SVEN_POLICY, summary: { ...SVEN_POLICY.summary, resultCapChars } };
      const steps = await stepsOf(madeTranscript(MADE), policy, TIGHT);
      return steps.flatMap(({ served }) => served.summaries.map(({ use }) => use.uncachedTokens));
    };
    const [whole, capped] = [await promptsAt(null), await promptsAt(400)];
    expect(whole.length).toBe(capped.length);
    expect(Math.max(...capped)).toBeLessThan(Math.min(...whole) / 2);
  });

  test("a summary that is asked behind the conversation reads what the call before left in the cache", async () => {
    const policy: Policy = { ...SVEN_POLICY, summary: { ...SVEN_POLICY.summary, request: "prefix" } };
    const steps = await stepsOf(madeTranscript(MADE), policy, TIGHT);
    const asked = steps.flatMap(({ served }) => served.summaries);
    expect(asked.length).toBeGreaterThanOrEqual(2);
    for (const { use } of asked) expect([use.writeTokens, use.uncachedTokens]).toEqual([SUMMARY_PROMPT_TOKENS, 0]);
  });

  test("a summary by another model says which", async () => {
    const request = { cheaper: { modelId: "small", contextWindowTokens: 100_000 } };
    const policy: Policy = { ...SVEN_POLICY, summary: { ...SVEN_POLICY.summary, request } };
    const steps = await stepsOf(madeTranscript(MADE), policy, TIGHT);
    expect(new Set(steps.flatMap(({ served }) => served.summaries.map(({ modelId }) => modelId)))).toEqual(new Set(["small"]));
  });

  test("a lost call is charged what its recording says was read and written", async () => {
    const made = madeTranscript(MADE);
    const steps = await stepsOf({ ...made, entries: made.entries.map(withCacheRead) }, NONE_POLICY, TIGHT);
    const lost = steps.filter(({ sent }) => sent.lost);
    expect(lost.length).toBeGreaterThan(0);
    for (const { sent, served } of lost) {
      const totalTokens = sent.recorded.usage.input.totalTokens ?? 0;
      expect([served.call.readTokens, served.call.writeTokens, served.call.uncachedTokens]).toEqual([
        100,
        0,
        totalTokens - 100,
      ]);
    }
  });

  test("if the recording says nothing of a cache, a session that overflows costs what it would in a large window", async () => {
    const tight = await stepsOf(madeTranscript(MADE), NONE_POLICY, TIGHT);
    const roomy = await stepsOf(madeTranscript(MADE), NONE_POLICY, ROOMY);
    expect(tight.some(({ sent }) => sent.lost)).toBe(true);
    expect(tight.map(({ served }) => served.call)).toEqual(roomy.map(({ served }) => served.call));
  });

  test.each([
    ["is charged for all of the prompt before", "made", ["uncachedTokens"]],
    ["is read from the cache behind the conversation", "claude-code", ["readTokens"]],
    ["that the log reports as a call is charged no second time", "pi", []],
  ] as const)("a recorded summary %s", async (_, format, from) => {
    const steps = await stepsOf({ ...madeTranscript({ ...MADE, boundaries: [4] }), format }, RECORDED_POLICY, ROOMY);
    const at = steps.findIndex(({ sent }) => sent.compactions.length > 0);
    const before = Math.round(steps[at - 1]?.sent.promptTokens ?? 0);
    const charged = from.map((place) => ({ use: { [place]: before }, replyTokens: SUMMARY_REPLY_TOKENS, modelId: null }));
    expect(steps.flatMap(({ served }) => served.summaries)).toMatchObject(charged);
  });

  test("under `recorded` a recorded compaction breaks the cache once", async () => {
    const steps = await stepsOf(madeTranscript({ ...MADE, boundaries: [4] }), RECORDED_POLICY, ROOMY);
    expect(steps.filter(({ served }) => served.call.state === "broken").map(({ sent }) => sent.compactions.length)).toEqual([
      1,
    ]);
  });
});

describe("sessionCache", () => {
  const made = madeTranscript(MADE);
  const reading = (reads: readonly (number | null)[], oneHour: number | null = null) => {
    let call = -1;
    const entries = made.entries.map((entry): SessionEntry => {
      if (entry.type !== "usage") return entry;
      call += 1;
      const input = {
        ...entry.usage.input,
        cacheReadTokens: reads[call] ?? reads[0] ?? null,
        cacheWriteOneHourTokens: oneHour,
      };
      return { ...entry, usage: { ...entry.usage, input } };
    });
    return sessionCache(prepareSession({ ...made, entries }).sizeJudge, MODEL_CATALOG);
  };

  test.each([
    ["the smallest read is what others keep warm", [9600, 30_000, 9600], 9600],
    ["one cold call says that nobody does", [9600, 0, 9600], 0],
    ["nothing reported is nothing known", [null, null], 0],
  ])("%s", (_rule, reads, warmBaseTokens) => {
    expect(reading(reads).warmBaseTokens).toBe(warmBaseTokens);
  });

  test("without calls nothing is known", () => {
    const { sizeJudge } = prepareSession({ ...made, entries: made.entries.filter(({ type }) => type !== "usage") });
    expect(sessionCache(sizeJudge, MODEL_CATALOG)).toMatchObject({ warmBaseTokens: 0, countsWrites: true });
  });

  test("writes that live an hour make the cache live an hour", () => {
    const model = "claude-sonnet-4-5";
    expect(reading([0, 0]).rulesFor(model).timeToLiveMs).toBe(300_000);
    expect(reading([0, 0], 500).rulesFor(model).timeToLiveMs).toBe(3_600_000);
  });
});
