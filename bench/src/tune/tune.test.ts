import { KLAUDE_CODE_POLICY, NONE_POLICY, OPAL_POLICY, PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { beforeAll, describe, expect, test } from "vitest";
import { madeTranscript } from "../../testing/made-session.ts";
import { madeSession } from "../../testing/made-standing.ts";
import { lossesAgainst } from "../judge/choose.ts";
import { splitSessions } from "../judge/split.ts";
import { type JudgedRun, type SessionStanding, standingOf } from "../judge/standing.ts";
import { surenessOf } from "../judge/sureness.ts";
import { prepareSession } from "../open/prepared-session.ts";
import { replay } from "../replay/replay.ts";
import { coarseSettings, settingsAround, settingWords, tunableSettingsOf } from "./tunable-settings.ts";
import { type ReplayRound, type TuneResult, type TuneRound, tune } from "./tune.ts";

/** Replays take seconds, longer if other tests run at the same time. */
const REPLAY_MS = 60_000;

/** A session that holds this much of the first measure, over all needs, and has no other needs. */
const score = (session: string, costRatio: number, held: number): SessionStanding => {
  const made = madeSession(session, costRatio, { held });
  return { ...made, vector: made.vector.map((share, place) => (place === 0 ? share : { ...share, own: null })) };
};

describe("settings that are tuned", () => {
  test("hold what a policy has, its own value in the place of the nearest", () => {
    expect(tunableSettingsOf(SVEN_POLICY)).toEqual([
      { path: "actAt", own: 0.75, values: [0.5, 0.75, 0.9] },
      { path: "keep.recent.messages", own: 6, values: [6, 12, 30] },
      { path: "cap", own: 4000, values: [0, 4000, 16_000, 32_000] },
    ]);
    const paths = tunableSettingsOf(PLIMSOLL_POLICY).map(({ path }) => path);
    expect(paths.join()).toBe("pays,keep.recent,actAt,cap,keep.recall");
    expect(tunableSettingsOf(NONE_POLICY)).toEqual([]);
    const keep = [{ kind: "mine", atMost: { ratio: 0.1, of: "room" } }, ...SVEN_POLICY.keep];
    expect(tunableSettingsOf({ ...SVEN_POLICY, keep }).at(-1)).toEqual({
      path: "keep.mine",
      own: 0.1,
      values: [0, 0.05, 0.1, 0.2],
    });
    expect(settingWords({ path: "keep.mine", value: 0 })).toEqual({ path: "keep.mine", value: "off" });
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
    const settings = settingsAround(tunable, [
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
    const { costPercent, gain, farGain } = standingOf("own", [score("a", 0.25, 50), score("b", 1, 80)]);
    expect(costPercent).toBeCloseTo(50, 9);
    expect(gain).toBeCloseTo(65, 12);
    expect(farGain).toBeNull();
  });

  test.each([
    [80, []],
    [79.5, []],
    [70, [{ measure: "replaced texts", than: "now", points: 10, cases: 10 }]],
  ])("%f where the other one holds 80 loses what is a point or more", (held, losses) => {
    expect(lossesAgainst(standingOf("own", [score("a", 1, held)]), standingOf("now", [score("a", 1, 80)]))).toEqual(losses);
  });
});

describe("surenessOf", () => {
  const sessions = Array.from({ length: 12 }, (_, index) => score(`o${index}__r__s`, 0.5 + 0.01 * index, 90));
  const own = standingOf("own", sessions);
  const with125 = sessions.map((each) => ({ ...each, costRatio: each.costRatio * 1.25 }));
  const other = standingOf("other", with125);

  test("says what holds in every session for sure, and the same each time", () => {
    const sureness = surenessOf(own, other);
    expect(sureness).toMatchObject({ drawn: "projects", count: 12 });
    expect(sureness?.cost.from).toBeCloseTo(80, 9);
    expect(sureness?.cost.through).toBeCloseTo(80, 9);
    expect(surenessOf(own, other)).toEqual(sureness);
  });

  test("is unsure if sessions disagree", () => {
    const mixed = sessions.map((each, index) => ({ ...each, costRatio: each.costRatio * (index % 2 === 0 ? 2 : 0.5) }));
    const sureness = surenessOf(standingOf("mixed", mixed), own);
    expect(sureness?.cost.from).toBeLessThan(80);
    expect(sureness?.cost.through).toBeGreaterThan(125);
  });

  test.each([
    ["nothing from seven sessions", sessions.slice(0, 7), null, null],
    ["eight sessions of one project", inOneProject(8), "sessions", "sessions"],
    ["everybody's cost from eight projects", sessions.slice(0, 8), "projects", "projects"],
  ])("knows of %s", (_, some, ofOwn, ofAll) => {
    const standing = standingOf("own", some);
    expect([surenessOf(standing, standing)?.drawn ?? null, surenessOf(standing, null)?.drawn ?? null]).toEqual([ofOwn, ofAll]);
  });
});

/** So many sessions of one project. */
function inOneProject(count: number): readonly SessionStanding[] {
  return Array.from({ length: count }, (_, index) => score(`o__r__s${index}`, 0.5, 90));
}

describe("tune", { timeout: REPLAY_MS }, () => {
  const sessions = [6, 8, 10, 12].map((turns) =>
    prepareSession(madeTranscript({ turns, toolCallsPerTurn: 5, resultChars: 5000, overheadTokens: 2000 }, `session-${turns}`)),
  );
  const idle = prepareSession(madeTranscript({ turns: 1, toolCallsPerTurn: 1, resultChars: 10, overheadTokens: 2000 }, "idle"));
  const window = { kind: "working-room", tokens: 24_000 } as const;
  const rounds: TuneRound[] = [];
  const replayRound = async (round: Pick<TuneRound, "policies" | "sessions">) => {
    const wanted = [...sessions, idle].filter(({ transcript }) => round.sessions?.has(transcript.name) ?? true);
    const rows: JudgedRun["rows"][number][] = [];
    for (const session of wanted) for (const policy of round.policies) rows.push(await replay(session, { policy, window }));
    return { sessions: wanted.map(({ transcript: { name } }) => ({ session: name, file: name })), rows };
  };
  let results: readonly TuneResult[] = [];
  let model: JudgedRun = { sessions: [], rows: [] };
  beforeAll(async () => {
    model = await replayRound({ policies: [NONE_POLICY], sessions: new Set(["session-6"]) });
    results = await tune([SVEN_POLICY, OPAL_POLICY], (round) => {
      rounds.push(round);
      return replayRound(round);
    });
  }, REPLAY_MS);

  test("chooses on one half and tests on the other, four sessions say nothing for sure", () => {
    const [, other] = results;
    expect(other?.tried.map(({ policy }) => policy.name)).toEqual(["opal"]);
    const halves = { trainSessions: 2, testSessions: 2, idleSessions: 1, verdict: { kind: "too-few" } };
    expect(results).toMatchObject(["sven", "opal"].map((base) => ({ base, ...halves })));
    for (const { front, best, current } of results.slice(0, 1)) {
      expect(front.every(({ train }) => train.tooLarge === 0)).toBe(true);
      const figures = [front.map(({ train }) => train.costPercent), front.map(({ train }) => train.gain ?? 0)];
      expect(figures).toEqual(figures.map((each) => each.toSorted((a, b) => a - b)));
      const chosen = best ?? expect.fail("nothing is better");
      expect(lossesAgainst(chosen.train, current.train)).toEqual([]);
      expect(1.05 * chosen.train.costPercent).toBeLessThanOrEqual(current.train.costPercent);
      expect(chosen.test.units).toHaveLength(2);
    }
  });

  test("replays the grid on the one half, and on the other what is left of it; two sessions confirm nothing finer", () => {
    const halves = { train: new Set(["session-12", "session-8"]), test: new Set(["session-10", "session-6"]) };
    const [, coarse, held] = rounds.map(({ policies }) => policies.map(({ name }) => name));
    const [ofGrid = 0, ofTest = 0] = [coarse?.length, held?.length];
    expect(rounds.map(({ name, sessions: wanted, replaysLeft }) => [name, wanted, replaysLeft])).toEqual([
      ["baseline", null, null],
      ["coarse grid", halves.train, 2 * ofGrid + 2 * Math.ceil((ofGrid - 1) / 3)],
      ["test", halves.test, 2 * ofTest],
    ]);
    expect(coarse?.filter((name) => !name.startsWith("sven"))).toEqual(["opal"]);
    expect(held?.length).toBeLessThan((coarse?.length ?? 0) / 2);
    expect(held).toContain("sven");
  });

  test("never tries the same setting twice", () => {
    const tried = rounds
      .slice(1, 2)
      .flatMap(({ policies }) => policies.map((policy) => JSON.stringify({ ...policy, name: "" })));
    expect(new Set(tried).size).toBe(tried.length);
  });

  test.each<[string, number, (place: number) => number, [string, string | null, beside: boolean, between: boolean]]>([
    ["on both halves is set, and it is said how sure that is", 16, () => 0.1, ["set", "projects", true, true]],
    ["on both halves waits for eight sessions that judge it", 12, () => 0.1, ["too-few", null, false, false]],
    ["only on the half that chose it stays", 16, (place) => (place % 2 === 0 ? 0.1 : 1), ["keep", null, true, true]],
    ["by less than a twentieth is not approached", 16, () => 0.49, ["keep", null, true, false]],
  ])("a setting that is cheaper %s", async (_, projects, usdAt, [kind, drawn, beside, between]) => {
    const names = Array.from({ length: projects }, (_, index) => `o${String(index).padStart(2, "0")}__r__s`);
    const usdOf = (policy: string, place: number) => ({ none: 1, sven: 0.5 })[policy] ?? usdAt(place);
    const scripted: ReplayRound = ({ policies, sessions: wanted }) => {
      const rows = names.flatMap((session, place) =>
        policies.flatMap(({ name }) =>
          (wanted?.has(session) ?? true) ? priced(model, { session, policy: name, usd: usdOf(name, place) }) : [],
        ),
      );
      return Promise.resolve(filed(rows));
    };
    const [tuned] = await tune([SVEN_POLICY], scripted);
    expect(tuned).toMatchObject({ trainSessions: projects / 2, testSessions: projects / 2, verdict: { kind } });
    expect(tuned?.verdict.kind === "set" ? tuned.verdict.sureness.drawn : null).toBe(drawn);
    const settings = (tuned?.tried ?? []).map((each) => each.settings);
    expect(settings.some(([first]) => first?.path === "cap")).toBe(beside);
    expect(settings.some(([first]) => first?.path === "actAt" && ![0.5, 0.75, 0.9].includes(first.value))).toBe(between);
  });

  test("one file is chosen on and tested on; sessions of one file stay on one side", () => {
    const rowsOf = (files: Readonly<Record<string, string>>) =>
      filed(
        Object.keys(files).flatMap((session) => priced(model, { session, policy: "none", usd: 1 })),
        files,
      );
    const one = splitSessions(rowsOf({ a: "f" }));
    expect(one.test).toBe(one.train);
    const two = splitSessions(rowsOf({ a: "f", b: "g", "a#1": "f" }));
    expect([[...two.train], [...two.test]]).toEqual([["a", "a#1"], ["b"]]);
  });

  test("sessions of one repository stay on one side if there are several", () => {
    const rows = ["o__r__1", "o__s__1", "o__r__2"].flatMap((session) => priced(model, { session, policy: "none", usd: 1 }));
    const { by, train, test: tested } = splitSessions(filed(rows));
    expect([by, [...train], [...tested]]).toEqual(["repository", ["o__r__1", "o__r__2"], ["o__s__1"]]);
  });
});

type Row = JudgedRun["rows"][number];

/** Rows with the files that their sessions are from: of their own names unless others are given. */
function filed(rows: readonly Row[], files: Readonly<Record<string, string>> = {}): JudgedRun {
  return { sessions: rows.map(({ session }) => ({ session, file: files[session] ?? session })), rows };
}

/** The run's row as another session's under a policy, at a price. */
function priced(
  { rows: [model] }: JudgedRun,
  { session, policy, usd }: { readonly session: string; readonly policy: string; readonly usd: number },
): readonly Row[] {
  const { metrics = null } = model ?? {};
  if (model === undefined || metrics === null) return [];
  return [{ ...model, session, policy, metrics: { ...metrics, cost: { ...metrics.cost, withCacheUsd: usd } } }];
}
