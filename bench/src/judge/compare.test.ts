import { describe, expect, test } from "vitest";
import { exampleReport, withMetrics } from "../../testing/example-report.ts";
import { madeSession } from "../../testing/made-standing.ts";
import type { BenchReport } from "../results.ts";
import { reportProblems } from "../show/problems.ts";
import { comparedIn } from "./compare.ts";
import { summarizePolicies, windowLabels } from "./policy-summary.ts";
import { standingOf } from "./standing.ts";

/** For each session: requests that overflow without compaction, and the policies that act in it. */
type Sessions = Readonly<Record<string, { readonly overflows: number; readonly actors: readonly string[] }>>;

function reportOf(sessions: Sessions): BenchReport {
  const report = exampleReport({ sessions: Object.keys(sessions), calls: 10, sweptRatios: [0.9] });
  return withMetrics(report, ({ economy, safety }, { session, policy }) => {
    const { overflows = 0, actors = [] } = sessions[session] ?? {};
    const compactions = actors.includes(policy) ? 1 : 0;
    return {
      economy: { ...economy, promptTokens: 1_000, failedCompactions: 0, compactions },
      safety: { ...safety, overflowingRequests: overflows },
    };
  });
}

const OTHER = "sven trigger.ratio=0.9";

describe("policies are compared over", () => {
  test.each<[string, Sessions, readonly string[]]>([
    [
      "the sessions that doing nothing outgrows, and no others that one policy alone touches",
      { a: { overflows: 3, actors: ["sven", OTHER] }, b: { overflows: 0, actors: [OTHER] } },
      ["a"],
    ],
    [
      "those too in which a policy did nothing although it was outgrown",
      { a: { overflows: 3, actors: ["sven"] }, b: { overflows: 1, actors: [OTHER] } },
      ["a", "b"],
    ],
    [
      "all that any policy touched, if none is outgrown",
      { a: { overflows: 0, actors: [OTHER] }, b: { overflows: 0, actors: [] } },
      ["a"],
    ],
    ["nothing if nothing happened", { a: { overflows: 0, actors: [] } }, []],
  ])("%s", (_, sessions, compared) => {
    const outcomes = comparedIn(reportOf(sessions), "64k for messages and reply");
    expect(outcomes.units.map(({ session }) => session)).toEqual(compared);
    expect([...outcomes.standings.values()].every(({ units }) => units.length === compared.length)).toBe(true);
  });
});

/** A report with forks of a session, each with figures as the session has them. */
function withForks(report: BenchReport, session: string, count: number): BenchReport {
  const forks = Array.from({ length: count }, (_, place) => `${session}-fork-${place}`);
  const inLineage = report.sessions.map((each) => (each.session === session ? { ...each, lineage: session } : each));
  const [own] = inLineage.filter((each) => each.session === session);
  const rows = report.rows.filter((row) => row.session === session);
  return {
    ...report,
    sessions: [...inLineage, ...forks.flatMap((fork) => (own === undefined ? [] : [{ ...own, session: fork }]))],
    rows: [...report.rows, ...forks.flatMap((fork) => rows.map((row) => ({ ...row, session: fork })))],
  };
}

/** The report with twice the cost in a session under a policy that acts. */
function dearerIn(session: string, report: BenchReport): BenchReport {
  return withMetrics(report, ({ cost }, row) =>
    row.session === session && row.policy === "sven" ? { cost: { ...cost, withCacheUsd: 2 * (cost.withCacheUsd ?? 0) } } : {},
  );
}

test("a lineage is one unit, however many forks it has", () => {
  const report = dearerIn("b/two", exampleReport({ sessions: ["a/one", "b/two", "b/three"] }));
  const forked = withForks(report, "b/two", 5);
  const of = (each: BenchReport) => comparedIn(each, "64k for messages and reply");
  const [plain, many] = [of(report), of(forked)];
  expect(many.units.map(({ session }) => session)).toEqual(plain.units.map(({ session }) => session));
  const figuresOf = ({ standings }: typeof plain) =>
    standings.get("sven")?.units.map(({ session, vector, costRatio }) => [session, vector, costRatio.toFixed(9)]);
  expect(figuresOf(many)).toEqual(figuresOf(plain));
  expect(new Set(plain.standings.get("sven")?.units.map(({ costRatio }) => costRatio)).size).toBeGreaterThan(1);
});

test("counts the sessions that cost over two percent more than without compaction", () => {
  const costing = (costRatio: number, place: number) => madeSession(`s${place}`, costRatio, { held: 90 });
  expect(standingOf("sven", [0.5, 1.2, 1.02, 1.021].map(costing)).costMoreIn).toBe(2);
  expect(standingOf("sven", []).costMoreIn).toBe(0);
});

test("a cost with everything read again has one call more for each source that was missed once", () => {
  const misses = (first: number) => ({ uses: 9, missed: 9, first });
  const report = withMetrics(exampleReport(), () => ({ firstMisses: { edits: misses(3), passages: misses(2) } }));
  const { standings } = comparedIn(report, windowLabels(report)[0] ?? "");
  const ratios = standings.get("sven")?.units.map(({ session, costRatio, rereadRatio }) => {
    const calls = report.rows.find((row) => row.session === session)?.metrics?.safety.calls ?? 0;
    return (rereadRatio / costRatio - 1) * calls;
  });
  expect(ratios?.map((each) => Math.round(each))).toEqual([5, 5]);
});

describe("sessions that write calls in scripts", () => {
  const COUNTS = { toolCalls: 9, results: 9, files: 9, edits: 0, plans: 0, reasoning: 0, usage: 9 };
  const SEEN = { ...COUNTS, cacheReads: 0, cacheWrites: 0, costs: 0, scripts: 9 };
  const OTHERS = ["a/one", "b/two"];
  /** A report of the others and of sessions of so many owners whose calls are scripts. */
  const withScripts = (owners: number, others = OTHERS) => {
    const scripts = Array.from({ length: owners }, (_, owner) => `owner-${owner}/scripted`);
    const report = exampleReport({ sessions: [...others, ...scripts] });
    const sessions = report.sessions.map((each) => (scripts.includes(each.session) ? { ...each, seen: SEEN } : each));
    return { ...report, sessions };
  };
  const compared = (report: BenchReport) => comparedIn(report, "64k for messages and reply").units.length;
  const said = (report: BenchReport) =>
    reportProblems(report).flatMap(({ text }) => (text.includes("in scripts") ? [text] : []));

  test.each([
    [
      "of two owners stand apart",
      2,
      OTHERS,
      2,
      [
        "2 sessions of 2 projects write calls in scripts (code mode): they are left out of means and choices, because at least 3 projects are needed.",
      ],
    ],
    ["of three owners are as any", 3, OTHERS, 5, []],
    [
      "are alone: nothing is claimed",
      1,
      [],
      1,
      [
        "1 session of 1 project writes calls in scripts (code mode): no figure here describes them, because at least 3 projects are needed.",
      ],
    ],
  ] as const)("%s", (_, owners, others, count, lines) => {
    const report = withScripts(owners, [...others]);
    expect(compared(report)).toBe(count);
    expect(summarizePolicies(report).find(({ policy }) => policy === "sven")?.sessions).toBe(count);
    expect(said(report)).toEqual(lines);
  });
});

test.each([
  ["none", 0, 9, []],
  ["only those without a call", 1, 0, []],
  ["one of two", 1, 9, ["1 of 2 sessions has no token counts; they are estimated."]],
  ["all", 2, 9, ["2 of 2 sessions have no token counts; they are estimated."]],
])("the first screen says it if %s of the sessions are replayed on estimates", (_, count, calls, lines) => {
  const report = reportOf({ a: { overflows: 0, actors: [] }, b: { overflows: 0, actors: [] } });
  const sessions = report.sessions.map((session, at) => ({
    ...session,
    ...(at < count ? { isEstimated: true, calls } : { isEstimated: false }),
  }));
  const texts = reportProblems({ ...report, sessions }).map(({ text }) => text);
  expect(texts.filter((text) => text.endsWith("they are estimated."))).toEqual(lines);
});
