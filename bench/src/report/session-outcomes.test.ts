import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import type { BenchReport } from "../results.ts";
import { summarizePolicies } from "./policy-summary.ts";
import { windowOutcomes } from "./session-outcomes.ts";

/** For each session: requests that overflow without compaction, and the policies that act in it. */
type Sessions = Readonly<Record<string, { readonly overflows: number; readonly actors: readonly string[] }>>;

function reportOf(sessions: Sessions): BenchReport {
  const report = exampleReport({ sessions: Object.keys(sessions), calls: 10, sweptRatios: [0.9] });
  const rows = report.rows.map((row) => {
    const { overflows = 0, actors = [] } = sessions[row.session] ?? {};
    const { metrics } = row;
    if (metrics === null) return row;
    const compactions = actors.includes(row.policy) ? 1 : 0;
    const economy = { ...metrics.economy, promptTokens: 1_000, failedCompactions: 0, compactions };
    return { ...row, metrics: { ...metrics, economy, safety: { ...metrics.safety, overflowingRequests: overflows } } };
  });
  return { ...report, rows };
}

const OTHER = "sven trigger.ratio=0.9";

describe("windowOutcomes compares policies over", () => {
  test.each<[string, Sessions, "outgrown" | "touched", readonly string[], number]>([
    [
      "the sessions that doing nothing outgrows, and no others that one policy alone touches",
      { a: { overflows: 3, actors: ["sven", OTHER] }, b: { overflows: 0, actors: [OTHER] } },
      "outgrown",
      ["a"],
      2,
    ],
    [
      "those too in which a policy did nothing although it was outgrown",
      { a: { overflows: 3, actors: ["sven"] }, b: { overflows: 1, actors: [OTHER] } },
      "outgrown",
      ["a", "b"],
      1,
    ],
    [
      "all that any policy touched, if none is outgrown",
      { a: { overflows: 0, actors: [OTHER] }, b: { overflows: 0, actors: [] } },
      "touched",
      ["a"],
      1,
    ],
    ["nothing if nothing happened", { a: { overflows: 0, actors: [] } }, "touched", [], 0],
  ])("%s", (_, sessions, basis, compared, actedIn) => {
    const acting = ["sven", OTHER];
    const outcomes = windowOutcomes(reportOf(sessions), { windowLabel: "working room 64k", acting, cache: "with" });
    expect([outcomes.basis, outcomes.sessions]).toEqual([basis, compared]);
    expect([...outcomes.byPolicy.values()].every((each) => each.length === compared.length)).toBe(true);
    expect(outcomes.whereActed.get(OTHER)).toHaveLength(actedIn);
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
  const rows = report.rows.map((row) => {
    if (row.session !== session || row.policy !== "sven" || row.metrics === null) return row;
    const { cost } = row.metrics;
    return { ...row, metrics: { ...row.metrics, cost: { ...cost, withCacheUsd: 2 * (cost.withCacheUsd ?? 0) } } };
  });
  return { ...report, rows };
}

test("a lineage is one unit, however many forks it has", () => {
  const report = dearerIn("b/two", exampleReport({ sessions: ["a/one", "b/two", "b/three"] }));
  const forked = withForks(report, "b/two", 5);
  const of = (each: BenchReport) => windowOutcomes(each, { windowLabel: "working room 64k", acting: ["sven"], cache: "with" });
  const [plain, many] = [of(report), of(forked)];
  expect(many.sessions).toEqual(plain.sessions);
  const figuresOf = ({ byPolicy }: typeof plain) =>
    byPolicy.get("sven")?.map(({ session, vector, costRatio }) => [session, vector, costRatio.toFixed(9)]);
  expect(figuresOf(many)).toEqual(figuresOf(plain));
  const meansOf = (each: BenchReport) =>
    summarizePolicies(each).map(({ metrics }) => metrics.cost.withCache.relative?.geometricMeanRatio.toFixed(9));
  expect(new Set(plain.byPolicy.get("sven")?.map(({ costRatio }) => costRatio)).size).toBeGreaterThan(1);
  expect(meansOf(forked)).toEqual(meansOf(report));
});
