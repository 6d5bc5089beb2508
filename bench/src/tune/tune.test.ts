import { PLIMSOLL_POLICY, type Policy, SVEN_POLICY } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { prepareSession } from "../replay/prepared-session.ts";
import { replay } from "../replay.ts";
import type { ReplayRow } from "../results.ts";
import { madeTranscript } from "../testing/made-session.ts";
import { bootstrap } from "./bootstrap.ts";
import { coarseAxes, refinedAxes } from "./knobs.ts";
import { pooledScore, type SessionScore } from "./score.ts";
import { splitSessions, tune } from "./tune.ts";

/** Replays take seconds, longer where other tests run beside. */
const REPLAY_MS = 60_000;

const score = (session: string, costRatio: number, sourceEvidenced: number): SessionScore => ({
  session,
  costRatio,
  uses: 100,
  sourceEvidenced,
  overflows: 0,
});

describe("knobs", () => {
  test("hold what a policy has, its own value among it", () => {
    expect(coarseAxes(SVEN_POLICY).map(({ path }) => path)).toEqual(["trigger.ratio", "keep.messages"]);
    expect(coarseAxes(SVEN_POLICY).at(-1)?.values).toContain(6);
    expect(coarseAxes(PLIMSOLL_POLICY).map(({ path }) => path)).toEqual(["trigger.tokens", "keep.ratio", "excerpts.ratio"]);
  });

  test.each([
    [0.7, [0.6, 0.7, 0.8]],
    [0.5, [0.5, 0.6]],
    [0.9, [0.8, 0.9]],
  ])("are refined around %f to half the way to its neighbours", (value, expected) => {
    const axes = [{ path: "a.b", values: [0.5, 0.7, 0.9] }];
    expect(refinedAxes(axes, [{ path: "a.b", value }])).toEqual([{ path: "a.b", values: expected }]);
  });
});

describe("scores", () => {
  test("count each session's cost the same, and each use the same", () => {
    const { cost, gain } = pooledScore([score("a", 0.25, 50), { ...score("b", 1, 300), uses: 300 }]);
    expect(cost).toBeCloseTo(0.5, 12);
    expect(gain).toBeCloseTo(350 / 400, 12);
  });
});

describe("bootstrap", () => {
  const own = Array.from({ length: 12 }, (_, index) => score(`s${index}`, 0.5 + 0.01 * index, 90));
  const other = own.map((each) => ({ ...each, costRatio: each.costRatio * 1.25, sourceEvidenced: 80 }));

  test("says what holds in every session for sure, and the same each time", () => {
    const sureness = bootstrap(own, other);
    expect(sureness).toMatchObject({ sessions: 12, cheaperShare: 1 });
    expect(sureness.costRatioFrom).toBeCloseTo(0.8, 9);
    expect(sureness.costRatioThrough).toBeCloseTo(0.8, 9);
    expect(sureness.gainFrom).toBeCloseTo(0.1, 9);
    expect(bootstrap(own, other)).toEqual(sureness);
  });

  test("is unsure where sessions disagree", () => {
    const mixed = own.map((each, index) => ({ ...each, costRatio: each.costRatio * (index % 2 === 0 ? 2 : 0.5) }));
    const { costRatioFrom, costRatioThrough } = bootstrap(mixed, own);
    expect(costRatioFrom).toBeLessThan(0.8);
    expect(costRatioThrough).toBeGreaterThan(1.25);
  });
});

describe("tune", { timeout: REPLAY_MS }, () => {
  const sessions = [6, 8, 10, 12].map((turns) =>
    prepareSession(madeTranscript({ turns, toolCallsPerTurn: 5, resultChars: 5000, overheadTokens: 2000 }, `session-${turns}`)),
  );
  const replayAll = async (policies: readonly Policy[]): Promise<readonly ReplayRow[]> => {
    const rows: ReplayRow[] = [];
    for (const session of sessions)
      for (const policy of policies)
        rows.push(await replay(session, { policy, window: { kind: "working-room", tokens: 24_000 } }));
    return rows;
  };

  test("chooses on one half and tests on the other, for both kinds of cache; four sessions say nothing for sure", async () => {
    const results = await tune([SVEN_POLICY], replayAll);
    expect(
      results.map(({ base, cache, trainSessions, testSessions }) => ({ base, cache, trainSessions, testSessions })),
    ).toEqual([
      { base: "sven", cache: "expiring", trainSessions: 2, testSessions: 2 },
      { base: "sven", cache: "lasting", trainSessions: 2, testSessions: 2 },
    ]);
    for (const { front, best, current, sureness } of results) {
      expect(front.every(({ train }) => train.overflows === 0)).toBe(true);
      expect(front.map(({ train }) => train.cost)).toEqual(front.map(({ train }) => train.cost).toSorted((a, b) => a - b));
      expect(front.map(({ train }) => train.gain)).toEqual(front.map(({ train }) => train.gain).toSorted((a, b) => a - b));
      expect(best?.train.gain).toBeGreaterThanOrEqual(current.train.gain);
      expect(best?.settings).toHaveLength(2);
      expect(sureness).toBeNull();
    }
  });

  test("splits by size, no session on both sides", async () => {
    const { train, test: held } = splitSessions(await replayAll([{ ...SVEN_POLICY, name: "none", enabled: false }]));
    expect([...train]).toEqual(["session-12", "session-8"]);
    expect([...held]).toEqual(["session-10", "session-6"]);
  });
});
