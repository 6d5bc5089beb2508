import { describe, expect, test } from "vitest";
import { exampleReport, withMetrics } from "../../testing/example-report.ts";
import type { BenchReport } from "../results.ts";
import { remarks } from "../show/policy-tables.ts";
import { summarizePolicies } from "./policy-summary.ts";

/** An example with one session of the given prompt tokens and compactions for `none` and `sven`, a session a pair. */
function reportOf(
  pairs: readonly { readonly none: number; readonly sven: number; readonly compactions: number }[],
): BenchReport {
  const sessions = pairs.map((_, index) => `s${index}`);
  const report = exampleReport({ sessions, calls: 10 });
  return withMetrics(report, ({ economy }, { session, policy }) => {
    const { none = 0, sven = 0, compactions = 0 } = pairs[sessions.indexOf(session)] ?? {};
    const changed = policy === "sven" ? { promptTokens: sven, compactions } : { promptTokens: none, compactions: 0 };
    return { economy: { ...economy, ...changed } };
  });
}

const svenOf = (report: BenchReport) => summarizePolicies(report).filter(({ policy }) => policy === "sven");

describe("summarizePolicies", () => {
  test.each([
    ["compactions as firing and acting", 500, 1, { firedSessions: 1, actedSessions: 1 }],
    ["truncation without a compaction as acting, not as firing", 800, 0, { firedSessions: 0, actedSessions: 1 }],
    ["nothing if nobody acted", 1_000, 0, { firedSessions: 0, actedSessions: 0 }],
  ])("counts %s", (_, tokens, compactions, counts) => {
    const summaries = svenOf(reportOf([{ none: 1_000, sven: tokens, compactions }]));
    expect(summaries).toMatchObject([{ sessions: 1, ...counts, metrics: { economy: { promptTokens: tokens } } }]);
  });

  test("says that nothing fired", () => {
    const summaries = svenOf(reportOf([{ none: 1_000, sven: 1_000, compactions: 0 }]));
    expect(remarks(summaries)[0]).toBe("sven: no compaction in 1 session: the window never filled up to the trigger.");
  });

  const skipped =
    "the first request has more beside the log's messages (system prompt, tools, history of another log) than the space for messages, 64k.";
  test.each<[string, Readonly<Record<string, number>>, readonly string[]]>([
    ["once what holds for all", { a: 7, b: 7 }, [`All policies: 7 sessions skipped (s0, s1, s2 and 4 more): ${skipped}`]],
    ["once what holds for several", { a: 7, b: 7, c: 0 }, [`a, b: 7 sessions skipped (s0, s1, s2 and 4 more): ${skipped}`]],
    ["a policy of its own by its name", { a: 1, b: 0 }, [`a: 1 session skipped (s0): ${skipped}`]],
    ["nothing if there is nothing to say", { a: 0 }, []],
  ])("says %s", (_, counts, lines) => {
    const summaries = svenOf(reportOf([{ none: 1_000, sven: 500, compactions: 1 }])).flatMap((model) =>
      Object.entries(counts).map(([policy, count]) => {
        return { ...model, policy, notApplicable: Array.from({ length: count }, (_, at) => `s${at}`) };
      }),
    );
    expect(remarks(summaries)).toEqual(lines);
  });

  test("leaves cells to which the window does not apply out of all sums, and their recordings", () => {
    const report = reportOf([{ none: 1_000, sven: 500, compactions: 1 }]);
    const rows = report.rows.map((row) => (row.policy === "recorded" ? row : { ...row, metrics: null, why: "overhead" }));
    const left = { sessions: 0, notApplicable: [expect.any(String)], metrics: { economy: { promptTokens: 0 } } };
    expect(summarizePolicies({ ...report, rows })).toMatchObject([left, left, left]);
  });

  test("gives one summary for each window and policy, in the report's order", () => {
    const summaries = summarizePolicies(exampleReport({ workingRoomsTokens: [32_000, 64_000] }));
    expect(summaries.map(({ windowLabel, policy }) => `${windowLabel} ${policy}`)).toEqual([
      "32k for messages and reply recorded",
      "32k for messages and reply none",
      "32k for messages and reply sven",
      "64k for messages and reply recorded",
      "64k for messages and reply none",
      "64k for messages and reply sven",
    ]);
  });
});
