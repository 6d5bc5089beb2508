import { PI_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { splitSessions } from "../judge/split.ts";
import type { JudgedRun } from "../judge/standing.ts";
import { chooseSetting, type SettingPoint } from "./choose-setting.ts";

const point = (name: string, kind: SettingPoint["kind"] = "candidate"): SettingPoint => {
  return { kind, values: new Map(kind === "candidate" ? [["n", 1]] : []), policy: { ...PI_POLICY, name } };
};
const NOW = point("now", "now");
const CHEAP = point("cheap");

/** The figures of a session under a policy. */
interface Outcome {
  readonly usd: number;
  readonly cuts?: number;
  /** Of 100 texts that edits replace. */
  readonly held: number;
  readonly overflows?: number;
}

/** Rows of sessions that fill so much of the window, of projects of their own or of one. */
function rowsOf(
  sessions: readonly string[],
  outcomes: Readonly<Record<string, (place: number) => Outcome>>,
  peakTokens = 90_000,
): JudgedRun {
  const { rows } = exampleReport({ sessions: ["example"], calls: 5 });
  const examples = rows
    .filter(({ policy }) => policy === "none")
    .flatMap((row) => (row.metrics ? [{ row, metrics: row.metrics }] : []));
  const made = sessions.flatMap((session, place) =>
    Object.entries(outcomes).flatMap(([policy, outcomeAt]) => {
      const { usd, held, overflows = 0, cuts = 2 } = outcomeAt(place);
      return examples.map(({ row, metrics }) => {
        const own = {
          ...metrics,
          cost: { ...metrics.cost, withCacheUsd: usd },
          economy: { ...metrics.economy, peakPromptTokens: peakTokens, compactions: cuts },
          safety: { ...metrics.safety, overflowingRequests: overflows },
          replacedTexts: { ...metrics.replacedTexts, all: { uses: 100, held } },
        };
        return { ...row, session, policy, inputBudgetTokens: 100_000, metrics: own };
      });
    }),
  );
  return { sessions: sessions.map((session) => ({ session, file: session })), rows: made };
}

const PROJECTS = Array.from({ length: 8 }, (_, place) => `project-${place}/session`);
const ONE_PROJECT = Array.from({ length: 8 }, (_, place) => `project/session-${place}`);
const always = (outcome: Outcome) => () => outcome;
const NONE = { none: always({ usd: 2, held: 90 }), now: always({ usd: 1, held: 90 }) };

test.each<readonly [string, Outcome, string]>([
  ["a setting that is cheaper and keeps as much is to be set", { usd: 0.8, held: 90 }, "set"],
  ["less than a twentieth cheaper is not", { usd: 0.97, held: 95 }, "keep"],
  ["a point less kept is a trade", { usd: 0.5, held: 89 }, "trade"],
  ["ten points less, too, but no more", { usd: 0.5, held: 80 }, "trade"],
  ["or an amount that is printed as ten", { usd: 0.5, held: 79.96 }, "trade"],
  ["a tenth more than ten points is no offer", { usd: 0.5, held: 79.9 }, "keep"],
  ["with requests that overflow it is not", { usd: 0.5, held: 90, overflows: 1 }, "keep"],
])("%s", (_, outcome, kind) => {
  const { setting: verdict } = chooseSetting([NOW, CHEAP], rowsOf(PROJECTS, { ...NONE, cheap: always(outcome) }));
  expect(verdict.kind).toBe(kind);
});

test("a setting is compared with the replay of now, our proxy and plugin with the recording", () => {
  const outcomes = { ...NONE, recorded: always({ usd: 1.5, held: 95 }), cheap: always({ usd: 0.5, held: 90 }) };
  const points = [NOW, CHEAP, { ...CHEAP, kind: "proxy" }, { ...CHEAP, kind: "plugin" }] as const;
  const chosen = (isOfLogs: boolean) => chooseSetting(points, rowsOf(PROJECTS, outcomes), { isOfLogs });
  const figures = (isOfLogs: boolean) => chosen(isOfLogs).rows.map((row) => [row.losses[0]?.points ?? 0, row.savedUsd]);
  expect(figures(true)).toEqual([[0, 0], [0, 4], ...[0, 0].map(() => [5, 8])]);
  expect(figures(false)).toEqual([[0, 0], ...[0, 0, 0].map(() => [0, 4])]);
  expect([chosen(true).setting.kind, chosen(true).proxy.kind, chosen(false).proxy.kind]).toEqual(["set", "trade", "set"]);
});

test.each([
  ["acts as the default does is none: a loss is offered", 90, "trade"],
  ["acts otherwise is offered no second loss", 89.5, "keep"],
])("a value that %s", (_, held, kind) => {
  const outcomes = { ...NONE, mine: always({ usd: 1, held }), cheap: always({ usd: 0.5, held: 82 }) };
  const { setting } = chooseSetting([point("mine", "now"), point("now", "default"), CHEAP], rowsOf(PROJECTS, outcomes));
  expect(setting.kind).toBe(kind);
});

test("advice ends: once an offer is taken, only a setting without a loss follows", () => {
  const outcomes = { ...NONE, cheap: always({ usd: 0.9, held: 88 }), cheaper: always({ usd: 0.7, held: 82 }) };
  const run = rowsOf(PROJECTS, outcomes);
  const [first, second] = [
    chooseSetting([NOW, CHEAP, point("cheaper")], run),
    chooseSetting([point("cheap", "now"), point("now", "default"), point("cheaper")], run),
  ];
  expect(first.setting).toMatchObject({ kind: "trade", best: { standing: { policy: "cheaper" } } });
  expect(second.setting).toEqual({ kind: "keep", why: "too-much-lost" });
  const lossless = rowsOf(PROJECTS, { ...outcomes, cheaper: always({ usd: 0.7, held: 88 }) });
  expect(chooseSetting([point("cheap", "now"), point("now", "default"), point("cheaper")], lossless).setting.kind).toBe("set");
});

test.each<readonly [string, number, string | null, string]>([
  ["that lose over ten points against the defaults are to be removed", 79, null, "remove"],
  ["that are known to do harm, too", 90, "known", "remove"],
  ["that lose less are kept", 80, null, "keep"],
])("settings %s", (_, held, harm, kind) => {
  const run = rowsOf(PROJECTS, { none: NONE.none, cheap: always({ usd: 0.5, held }), now: always({ usd: 1, held: 90 }) });
  const { setting, rows } = chooseSetting([point("cheap", "now"), point("now", "default")], run, { harm });
  expect(setting.kind).toBe(kind);
  // What is known to do harm does not act as it is replayed.
  expect(rows.map((row) => row.kind)).toEqual(harm === null ? ["now", "default"] : ["default"]);
  expect(rows[0]?.losses).toHaveLength(held < 90 ? 1 : 0);
});

test("beside a setting that goes, others and the proxy are judged against the default", () => {
  const outcomes = { none: NONE.none, mine: always({ usd: 0.5, held: 70 }), now: NONE.now };
  const more = { cheap: always({ usd: 0.8, held: 90 }), ours: always({ usd: 0.7, held: 92 }) };
  const points = [point("mine", "now"), point("now", "default"), CHEAP, point("ours", "proxy")] as const;
  const { setting, proxy } = chooseSetting(points, rowsOf(PROJECTS, { ...outcomes, ...more }));
  expect(setting).toMatchObject({ kind: "remove", instead: { kind: "set", best: { savedUsd: expect.closeTo(1.6) } } });
  expect(proxy).toMatchObject({ kind: "set", best: { costRatio: expect.closeTo(0.7), savedUsd: expect.closeTo(2.4) } });
});

test("a saving that one half does not confirm is offered as the table has it, with its loss", () => {
  const cheap = (place: number) => ({ usd: 0.5, held: place % 2 === 0 ? 90 : 86 });
  const { setting } = chooseSetting([NOW, CHEAP], rowsOf(PROJECTS, { ...NONE, cheap }));
  expect(setting).toMatchObject({ kind: "trade", best: { losses: [{ points: 2 }] } });
});

test("a saving without a loss over all sessions is offered with the loss on one half", () => {
  const [odd] = splitSessions(rowsOf(PROJECTS, NONE)).train;
  const cheap = (place: number) => ({ usd: 0.5, held: place === PROJECTS.indexOf(odd ?? "") ? 80 : 92 });
  const { setting, rows } = chooseSetting([NOW, CHEAP], rowsOf(PROJECTS, { ...NONE, cheap }));
  const loss = { measure: "replaced texts", points: 1, onHalf: true };
  expect(rows[1]?.losses).toMatchObject([loss]);
  expect(setting).toMatchObject({ kind: "trade", best: { losses: [loss] } });
  const cheaper = always({ usd: 0.4, held: 82 });
  const both = chooseSetting([NOW, CHEAP, point("cheaper")], rowsOf(PROJECTS, { ...NONE, cheap, cheaper })).setting;
  expect(both).toMatchObject({ kind: "trade", best: { losses: [loss] }, cheaper: { losses: [{ points: 8 }] } });
});

test("sessions that share a beginning are one, however many folders they lie in, and no half has a part of it", () => {
  const cheap = always({ usd: 0.5, held: 90 });
  const ofLineage = (run: JudgedRun, isOf: (session: string) => boolean): JudgedRun => ({
    ...run,
    sessions: run.sessions.map((each) => (isOf(each.session) ? { ...each, lineage: "project-0/session" } : each)),
  });
  const oneHistory = ofLineage(rowsOf([...PROJECTS, ...ONE_PROJECT], { ...NONE, cheap }), () => true);
  expect(chooseSetting([NOW, CHEAP], oneHistory)).toMatchObject({
    sessions: 1,
    setting: { kind: "too-few", missing: 7 },
  });
  const forked = ofLineage(rowsOf([...PROJECTS, "elsewhere/fork"], { ...NONE, cheap }), (session) =>
    ["elsewhere/fork", "project-0/session"].includes(session),
  );
  expect(chooseSetting([NOW, CHEAP], forked).sessions).toBe(8);
  const { train, test: tested } = splitSessions(forked);
  for (const half of [train, tested]) expect(half.has("elsewhere/fork")).toBe(half.has("project-0/session"));
});

test("of several the cheapest is chosen, with what it costs and how sure that is", () => {
  const outcomes = { ...NONE, cheap: always({ usd: 0.8, held: 90 }), cheapest: always({ usd: 0.6, held: 90 }) };
  const { setting: verdict, rows } = chooseSetting([NOW, CHEAP, point("cheapest")], rowsOf(PROJECTS, outcomes));
  expect(verdict).toMatchObject({ kind: "set", best: { standing: { policy: "cheapest", usd: expect.closeTo(4.8) } } });
  expect(verdict.kind === "set" ? verdict.sureness.cost.through : null).toBeCloseTo(60, 9);
  expect(rows.map(({ costRatio }) => Number(costRatio.toFixed(3)))).toEqual([1, 0.8, 0.6]);
});

test("what is cheaper on one half of the sessions alone is not confirmed", () => {
  const cheap = (place: number) => ({ usd: place % 2 === 0 ? 0.5 : 1.2, held: 90 });
  const { setting: verdict } = chooseSetting([NOW, CHEAP], rowsOf(PROJECTS, { ...NONE, cheap }));
  expect(verdict).toEqual({ kind: "keep", why: "not-confirmed" });
});

test.each([
  ["projects", PROJECTS],
  ["sessions", ONE_PROJECT],
] as const)("an interval is over %s if there are enough of them", (drawn, sessions) => {
  const run = rowsOf(sessions, { ...NONE, cheap: always({ usd: 0.8, held: 90 }) });
  const choice = chooseSetting([NOW, CHEAP], run);
  expect(choice).toMatchObject({ sessions: 8, setting: { kind: "set", sureness: { drawn } } });
  // The logs' own word outweighs their folders.
  const named = run.sessions.map((each) => ({ ...each, project: each.session }));
  expect(chooseSetting([NOW, CHEAP], { ...run, sessions: named })).toMatchObject({ projects: 8, setting: { kind: "set" } });
});

test.each([
  ["fewer than eight sessions are too few to tell", PROJECTS.slice(1), 90_000, "too-few"],
  ["sessions that never fill half of the window say nothing", PROJECTS, 40_000, "idle"],
] as const)("%s", (_, sessions, peakTokens, kind) => {
  const rows = rowsOf(sessions, { ...NONE, cheap: always({ usd: 0.1, held: 90 }) }, peakTokens);
  expect(chooseSetting([NOW, CHEAP], rows).setting.kind).toBe(kind);
});

test("a trade names what it loses, in dollars and points; the proxy is judged by the same test, apart", () => {
  const outcomes = { ...NONE, cheap: always({ usd: 0.5, held: 80 }), ours: always({ usd: 0.7, held: 92 }) };
  const { setting, proxy } = chooseSetting([NOW, CHEAP, point("ours", "proxy")], rowsOf(PROJECTS, outcomes));
  expect(setting).toMatchObject({
    kind: "trade",
    best: { standing: { policy: "cheap", usd: 4 }, costRatio: expect.closeTo(0.5) },
  });
  expect(setting.kind === "trade" ? setting.best.losses : []).toEqual([
    { measure: "replaced texts", than: "now", points: 10, cases: 800 },
  ]);
  expect(proxy).toMatchObject({ kind: "set", best: { kind: "proxy", losses: [] } });
});
