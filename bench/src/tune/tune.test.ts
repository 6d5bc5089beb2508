import { KLAUDE_CODE_POLICY, NONE_POLICY, OPAL_POLICY, PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { beforeAll, describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { VECTOR } from "../metrics/vector.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import { replay } from "../run/replay.ts";
import { lossesAgainst, pooledScore, type SessionScore, surenessOf } from "./score.ts";
import { type FiledRow, splitSessions } from "./split.ts";
import { coarseSettings, fineSettings, tunableSettingsOf } from "./tunable-settings.ts";
import { type ReplayRound, type TuneResult, type TuneRound, tune } from "./tune.ts";

/** Replays take seconds, longer if other tests run at the same time. */
const REPLAY_MS = 60_000;

/** A session that holds this much of the first measure, over all needs, and has no other needs. */
const score = (session: string, costRatio: number, held: number): SessionScore => ({
  session,
  file: session,
  cost: costRatio,
  costRatio,
  vector: VECTOR.map((_, place) => ({ own: place === 0 ? held : null, tail: null, none: null })),
  overflows: 0,
});

describe("settings that are tuned", () => {
  test("hold what a policy has, its own value in the place of the nearest", () => {
    expect(tunableSettingsOf(SVEN_POLICY)).toEqual([
      { path: "actAt", own: 0.75, values: [0.5, 0.75, 0.9] },
      { path: "keep.recent.messages", own: 6, values: [6, 12, 30] },
    ]);
    expect(tunableSettingsOf(PLIMSOLL_POLICY).map(({ path }) => path)).toEqual(["actAt", "keep.recent", "keep.recall"]);
    expect(tunableSettingsOf(NONE_POLICY)).toEqual([]);
    for (const policy of [OPAL_POLICY, KLAUDE_CODE_POLICY, PI_POLICY, PLIMSOLL_POLICY])
      expect(tunableSettingsOf(policy).length, policy.name).toBeGreaterThanOrEqual(2);
  });

  const tunable = [
    { path: "a.b", own: 0.7, values: [0.5, 0.7, 0.9] },
    { path: "c.d", own: 4, values: [4, 12] },
    { path: "e.f", own: 10, values: [5, 10] },
  ];

  test("make up a grid of the first two", () => {
    const settings = coarseSettings(tunable);
    expect(settings).toHaveLength(6);
    expect(settings.every((setting) => setting.map(({ path }) => path).join() === "a.b,c.d")).toBe(true);
  });

  test.each([
    [0.7, [0.6, 0.7, 0.8]],
    [0.5, [0.5, 0.6]],
    [0.9, [0.8, 0.9]],
  ])("are refined around %f to half the way to its neighbours, with the third as it is and turned", (value, expected) => {
    const settings = fineSettings(tunable, [
      { path: "a.b", value },
      { path: "c.d", value: 12 },
    ]);
    const valuesOf = (wanted: string) =>
      new Set(settings.flatMap((each) => each.filter(({ path }) => path === wanted)).map((each) => each.value));
    expect([...valuesOf("a.b")]).toEqual(expected);
    expect(valuesOf("c.d")).toEqual(new Set([8, 12]));
    expect(valuesOf("e.f")).toEqual(new Set([5, 10]));
    expect(settings).toHaveLength(2 * expected.length + 2);
  });
});

describe("scores", () => {
  test("count each session's cost and shares the same", () => {
    const { cost, gain, farGain } = pooledScore([score("a", 0.25, 50), score("b", 1, 80)]);
    expect(cost).toBeCloseTo(0.5, 12);
    expect(gain).toBeCloseTo(65, 12);
    expect(farGain).toBeNull();
  });

  test.each([
    [80, []],
    [79.5, []],
    [70, [{ measure: "replaced texts", points: 10 }]],
  ])("%f where the other one holds 80 loses what is a point or more", (held, losses) => {
    expect(lossesAgainst(pooledScore([score("a", 1, held)]), pooledScore([score("a", 1, 80)]))).toEqual(losses);
  });
});

describe("surenessOf", () => {
  const own = Array.from({ length: 12 }, (_, index) => score(`o${index}__r__s`, 0.5 + 0.01 * index, 90));
  const other = own.map((each) => ({ ...each, costRatio: each.costRatio * 1.25, vector: score("", 1, 80).vector }));

  test("says what holds in every session for sure, and the same each time", () => {
    const sureness = surenessOf(own, other);
    expect(sureness?.costRatio.from).toBeCloseTo(0.8, 9);
    expect(sureness?.costRatio.through).toBeCloseTo(0.8, 9);
    expect(surenessOf(own, other)).toEqual(sureness);
  });

  test("is unsure if sessions disagree", () => {
    const mixed = own.map((each, index) => ({ ...each, costRatio: each.costRatio * (index % 2 === 0 ? 2 : 0.5) }));
    const sureness = surenessOf(mixed, own);
    expect(sureness?.costRatio.from).toBeLessThan(0.8);
    expect(sureness?.costRatio.through).toBeGreaterThan(1.25);
  });

  test("cannot know from fewer than eight owners", () => {
    expect(surenessOf(own.slice(0, 7), other)).toBeNull();
  });
});

describe("tune", { timeout: REPLAY_MS }, () => {
  const sessions = [6, 8, 10, 12].map((turns) =>
    prepareSession(madeTranscript({ turns, toolCallsPerTurn: 5, resultChars: 5000, overheadTokens: 2000 }, `session-${turns}`)),
  );
  const idle = prepareSession(madeTranscript({ turns: 1, toolCallsPerTurn: 1, resultChars: 10, overheadTokens: 2000 }, "idle"));
  const window = { kind: "working-room", tokens: 24_000 } as const;
  const rounds: TuneRound[] = [];
  const replayRound: ReplayRound = async (round) => {
    const wanted = [...sessions, idle].filter(({ transcript }) => round.sessions?.has(transcript.name) ?? true);
    const rows: FiledRow[] = [];
    for (const session of wanted)
      for (const policy of round.policies)
        rows.push({ file: session.transcript.name, row: await replay(session, { policy, window }) });
    return rows;
  };
  let results: readonly TuneResult[] = [];
  beforeAll(async () => {
    results = await tune([SVEN_POLICY, OPAL_POLICY], (round) => {
      rounds.push(round);
      return replayRound(round);
    });
  }, REPLAY_MS);

  test("chooses on one half and tests on the other, four sessions say nothing for sure", () => {
    expect(
      results.map(({ base, trainSessions, testSessions, idleSessions, sureness }) => [
        base,
        trainSessions,
        testSessions,
        idleSessions,
        sureness,
      ]),
    ).toEqual(["sven", "opal"].map((base) => [base, 2, 2, 1, null]));
    for (const { front, best, current } of results) {
      expect(front.every(({ train }) => train.overflows === 0)).toBe(true);
      expect(front.map(({ train }) => train.cost)).toEqual(front.map(({ train }) => train.cost).toSorted((a, b) => a - b));
      expect(front.map(({ train }) => train.gain)).toEqual(
        front.map(({ train }) => train.gain).toSorted((a, b) => (a ?? 0) - (b ?? 0)),
      );
      expect(best?.train.losses).toEqual([]);
      expect(best?.train.cost).toBeLessThanOrEqual(1.05 * current.train.cost);
      expect(best?.test.cost).toBeGreaterThan(0);
    }
  });

  test("replays the grids on the one half, and on the other what is left of them", () => {
    const halves = { train: new Set(["session-12", "session-8"]), test: new Set(["session-10", "session-6"]) };
    expect(rounds.map(({ name, sessions: wanted }) => [name, wanted])).toEqual([
      ["baseline", null],
      ["coarse grid", halves.train],
      ["refinement", halves.train],
      ["test", halves.test],
    ]);
    const [, coarse, fine, held] = rounds.map(({ policies }) => policies.map(({ name }) => name));
    expect(coarse?.filter((name) => name.startsWith("opal"))).toHaveLength(10);
    expect(fine?.every((name) => name.startsWith("sven "))).toBe(true);
    expect(held?.length).toBeLessThan((coarse?.length ?? 0) / 2);
    expect(held).toContain("sven");
  });

  test("never tries the same setting twice", () => {
    const tried = rounds
      .slice(1, 3)
      .flatMap(({ policies }) => policies.map((policy) => JSON.stringify({ ...policy, name: "" })));
    expect(new Set(tried).size).toBe(tried.length);
  });

  test("with eight owners it is sure of what holds on the sessions that it was not chosen on, and of no others", async () => {
    const [model] = await replayRound({ name: "test", policies: [SVEN_POLICY], sessions: new Set(["session-6"]) });
    const names = Array.from({ length: 16 }, (_, index) => `o${String(index).padStart(2, "0")}__r__s`);
    // If it is chosen, every other setting costs a tenth; if it is not, twice as much as the current one.
    const usdOf = (policy: string, place: number) => ({ none: 1, sven: 0.5 })[policy] ?? (place % 2 === 0 ? 0.1 : 1);
    const scripted: ReplayRound = ({ policies, sessions: wanted }) =>
      Promise.resolve(
        names.flatMap((session, place) =>
          policies.flatMap(({ name }) =>
            (wanted?.has(session) ?? true) ? priced(model, { session, policy: name, usd: usdOf(name, place) }) : [],
          ),
        ),
      );
    const [tuned] = await tune([SVEN_POLICY], scripted);
    expect(tuned).toMatchObject({ trainSessions: 8, testSessions: 8 });
    expect(tuned?.sureness?.costRatio.from).toBeCloseTo(2, 9);
  });

  test("one file is chosen on and tested on; sessions of one file stay on one side", async () => {
    const [model] = await replayRound({ name: "baseline", policies: [NONE_POLICY], sessions: new Set(["session-6"]) });
    const rowOf = (session: string, file: string) =>
      priced(model, { session, policy: "none", usd: 1 }).map((row) => ({ ...row, file }));
    const one = splitSessions(rowOf("a", "f"));
    expect(one.test).toBe(one.train);
    const two = splitSessions([...rowOf("a", "f"), ...rowOf("b", "g"), ...rowOf("a#1", "f")]);
    expect([[...two.train], [...two.test]]).toEqual([["a", "a#1"], ["b"]]);
  });

  test("sessions of one repository stay on one side if there are several", async () => {
    const [model] = await replayRound({ name: "baseline", policies: [NONE_POLICY], sessions: new Set(["session-6"]) });
    const rows = ["o__r__1", "o__s__1", "o__r__2"].flatMap((session) => priced(model, { session, policy: "none", usd: 1 }));
    const { by, train, test: tested } = splitSessions(rows);
    expect([by, [...train], [...tested]]).toEqual(["repository", ["o__r__1", "o__r__2"], ["o__s__1"]]);
  });
});

/** The row as another session's under a policy, at a price. */
function priced(
  model: FiledRow | undefined,
  { session, policy, usd }: { readonly session: string; readonly policy: string; readonly usd: number },
): readonly FiledRow[] {
  const { metrics } = model?.row ?? {};
  if (model === undefined || metrics === undefined || metrics === null) return [];
  const cost = { ...metrics.cost, withCacheUsd: usd };
  return [{ file: session, row: { ...model.row, session, policy, metrics: { ...metrics, cost } } }];
}
