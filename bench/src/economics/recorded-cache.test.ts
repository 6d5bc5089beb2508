import { NONE_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import { coldAt, madeRecording, WARM } from "../../testing/made-recording.ts";
import type { MadeSession } from "../../testing/made-session.ts";
import { cellOf } from "../drive/cell.ts";
import { drive } from "../drive/drive.ts";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import type { PreparedSession } from "../open/prepared-session.ts";
import { recordedCache, type SessionCache, sessionCache } from "./recorded-cache.ts";
import { createRequestLedger, type ServedStep } from "./request-ledger.ts";

const MADE: MadeSession = { turns: 6, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 };

const RULES = { minimumTokens: 1, stepTokens: 1, timeToLiveMs: 300_000 };

interface Step {
  readonly sent: ReplayedCall;
  readonly served: ServedStep;
}

async function stepsOf(
  session: PreparedSession,
  {
    policy,
    roomTokens = 500_000,
    cacheOf = (cache: SessionCache) => cache,
  }: { policy: Policy; roomTokens?: number; cacheOf?: (cache: SessionCache) => SessionCache },
): Promise<readonly Step[]> {
  const window = { kind: "working-room", tokens: roomTokens } as const;
  const cell = cellOf(session, { policy, window, catalog: MODEL_CATALOG });
  const serve = createRequestLedger(session, cell, cacheOf(sessionCache(session.sizeJudge, { cacheRulesOf: () => RULES })));
  const steps: Step[] = [];
  await drive(session, cell, (sent) => steps.push({ sent, served: serve(sent) }));
  return steps;
}

const reported = ({ sent }: Step) => {
  const { cacheReadTokens, cacheWriteTokens, uncachedTokens } = sent.recorded.usage.input;
  return [cacheReadTokens, cacheWriteTokens, uncachedTokens];
};
const computed = ({ served: { call } }: Step) => [call.readTokens, call.writeTokens, call.uncachedTokens];

describe("recorded requests are served as the recording reports", () => {
  test.each<[rule: string, session: PreparedSession]>([
    ["a cache that was always warm", madeRecording(WARM)],
    ["one that was warm before the session began", madeRecording(coldAt(0, 1500))],
    ["one that was cold within its time", madeRecording(coldAt(20, 0))],
    ["one that held only what other sessions share", madeRecording(coldAt(20, 1200))],
    ["one that was cut short within a message", madeRecording(coldAt(20, 9000))],
    ["one that was still warm after its time", madeRecording(WARM, { gapMs: 400_000 })],
    ["one that lags behind at every call", madeRecording(({ beforeTokens }) => Math.max(0, beforeTokens - 700))],
    ["a provider that counts no writes", madeRecording(coldAt(20, 0), { writes: false })],
    [
      "another model's cache, which is cold",
      madeRecording(coldAt(20, 0), { modelOf: (call) => (call < 20 ? "first" : "second") }),
    ],
    ["a compaction after which only the head is read", madeRecording(coldAt(21, 1800), { made: { ...MADE, boundaries: [3] } })],
  ])("%s", async (_, session) => {
    const steps = await stepsOf(session, { policy: RECORDED_POLICY });
    expect(steps.map(computed)).toEqual(steps.map(reported));
  });

  test("a recording without times or reads has the rules of its provider", async () => {
    const steps = await stepsOf(
      madeRecording(() => 0, { writes: false }),
      { policy: NONE_POLICY },
    );
    expect(steps.slice(1).every(({ served }) => served.call.readTokens > 0)).toBe(true);
    expect(recordedCache(madeRecording(() => 0).sizeJudge).signAt(3, "own")).toBeNull();
  });
});

describe("every policy finds the cache as the recorded agent did", () => {
  const readAt = async (session: PreparedSession, call: number, cacheOf?: (cache: SessionCache) => SessionCache) => {
    const steps = await stepsOf(session, {
      policy: SVEN_POLICY,
      roomTokens: 24_000,
      ...(cacheOf === undefined ? {} : { cacheOf }),
    });
    expect(steps.some(({ sent }) => sent.call < call && sent.compactions.length > 0)).toBe(true);
    const step = steps[call];
    return {
      state: step?.served.call.state,
      ratio: (step?.served.call.readTokens ?? 0) / (steps[call - 1]?.sent.promptTokens ?? 1),
    };
  };

  test.each<[rule: string, session: PreparedSession, state: string, from: number, through: number]>([
    ["warm after its time", madeRecording(WARM, { gapMs: 200_000 }), "warm", 1, 1],
    ["cold within its time", madeRecording(coldAt(38, 0)), "expired", 0, 0],
    [
      "cut short: what came after that message is not read",
      madeRecording(({ call, beforeTokens }) => (call === 38 ? beforeTokens - 3000 : beforeTokens)),
      "warm",
      0.5,
      0.95,
    ],
  ])("%s", async (_, session, state, from, through) => {
    const read = await readAt(session, 38);
    expect(read.state).toBe(state);
    expect(read.ratio).toBeGreaterThanOrEqual(from);
    expect(read.ratio).toBeLessThanOrEqual(through);
  });

  test("a recorded compaction breaks the cache of `recorded` alone", async () => {
    const session = madeRecording(coldAt(21, 1800), { made: { ...MADE, boundaries: [3] } });
    const steps = await stepsOf(session, { policy: NONE_POLICY });
    expect(steps[21]?.served.call.readTokens).toBe(steps[20]?.sent.promptTokens);
  });

  test("what was read when all messages had been replaced is read after a compaction of the policy's own", async () => {
    const made = { ...MADE, turns: 8, boundaries: [7] };
    const session = madeRecording(coldAt(49, 1800), { made });
    const steps = await stepsOf(session, { policy: SVEN_POLICY, roomTokens: 24_000 });
    const broken = steps.filter(({ served }) => served.call.state === "broken");
    expect(broken.length).toBeGreaterThan(0);
    for (const { served } of broken) expect(served.call.readTokens).toBe(1800);
  });
});

test.each([
  ["a whole read", WARM, 20, { kind: "whole" }],
  ["slack of a step or two is no sign", coldAt(20, 1), 19, { kind: "whole" }],
  ["a cut before all messages", coldAt(20, 1200), 20, { kind: "cut", readTokens: 1200, messageId: null, withinTokens: 0 }],
])("a call shows %s", (_, reads, call, sign) => {
  expect(recordedCache(madeRecording(reads).sizeJudge).signAt(call, "own")).toEqual(sign);
});
