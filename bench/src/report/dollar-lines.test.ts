import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import type { DollarValidity } from "../metrics/dollar-validity.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { dollarLines, type RecordedDollars, recordedUsdText, windowCounts, windowLines } from "./dollar-lines.ts";
import { validityLines } from "./validity.ts";

const REPORT = exampleReport({ sessions: ["a.jsonl", "b.jsonl", "c.jsonl"] });

function reportOf(change: (row: ReplayRow, metrics: NonNullable<ReplayRow["metrics"]>) => ReplayRow["metrics"]): BenchReport {
  const rows = REPORT.rows.map((row) => ({ ...row, metrics: row.metrics === null ? null : change(row, row.metrics) }));
  return { ...REPORT, rows };
}

const validity = (errorPercent: number, ruledErrorPercent: number, cause: string | null = null): DollarValidity => ({
  ...{ statedUsd: 100, computedUsd: 100 + errorPercent, errorPercent },
  ...{ ruledUsd: 100 + ruledErrorPercent, ruledErrorPercent, coldCalls: 2, coldUsd: 5, cause },
});
const VALIDITIES = new Map([
  ["a.jsonl", validity(0.5, -45, "the cache was cold within its time (33 calls, $13.23)")],
  ["b.jsonl", validity(-2, 4)],
  ["c.jsonl", validity(12, 12, "the cache of another model (1 call, $12.00)")],
]);
const WITH_DOLLARS = reportOf(({ session, policy }, metrics) => ({
  ...metrics,
  dollarValidity: policy === "recorded" ? (VALIDITIES.get(session) ?? null) : null,
}));
const same = (session: string) => session;

test("the error in dollars comes first, as replayed and by rules alone, then each session beyond the bar with its cause", () => {
  expect(dollarLines(WITH_DOLLARS, same)).toEqual([
    "dollars of requests against 3 recordings: median error 2.0 %, quartiles 0.50 and 2.0 %, largest 12.0 %, 1 above 10 %",
    "the same by the cache's rules alone, without 6 calls that found it cold within its time (5.0 % of the dollars): median error 12.0 %, quartiles 4.0 and 12.0 %, largest 45.0 %, 2 above 10 %",
    "a.jsonl: dollars +0.50 %, by rules alone −45.0 %: the cache was cold within its time (33 calls, $13.23)",
    "c.jsonl: dollars +12.0 %, by rules alone +12.0 %: the cache of another model (1 call, $12.00)",
  ]);
  const [usage, ...others] = validityLines(WITH_DOLLARS);
  expect(usage).toMatch(/^Recorded usage: \$[\d.]+ by list prices\. All other dollars are modelled by replays\.$/);
  expect(others.slice(0, 4)).toEqual(dollarLines(WITH_DOLLARS, same));
});

const session = (recordedUsd: number | null, statedCostUsd: number | null, isWhole = true): RecordedDollars => ({
  ...{ recordedUsd, recordedUsdIs: isWhole ? "whole" : "a-part", statedCostUsd },
});

test.each<[string, readonly RecordedDollars[], string | null]>([
  ["alone, if the log agrees within a percent", [session(10, 10.09)], "$10.00 by list prices"],
  ["with what the log says, if they differ", [session(10, 8)], "$10.00 by list prices; its log says $8.00 (+25.0 %)"],
  [
    "of many, against the same sessions",
    [session(10, 8), session(5, 4), session(100, null)],
    "$115.00 by list prices; 2 logs say $12.00 (+25.0 %)",
  ],
  ["as a part, if a model has no price", [session(10, null, false)], "at least $10.00 by list prices"],
  ["as the log says, if nothing has a price", [session(null, 2, false)], "no prices known; its log says $2.00"],
  ["not at all, if nobody knows", [session(null, null, false)], null],
])("what sessions cost is told %s", (_rule, sessions, text) => {
  expect(recordedUsdText(sessions)).toBe(text);
});

test("a model without a price is named, with how many calls the dollars lack", () => {
  const report = reportOf((row, metrics) => {
    const isLacking = row.session === "b.jsonl";
    const cost = { ...metrics.cost, unpricedModels: isLacking ? ["new-model"] : [], unpricedCalls: isLacking ? 3 : 0 };
    return { ...metrics, cost };
  });
  const calls = report.rows.find(({ session }) => session === "b.jsonl")?.metrics?.safety.calls;
  expect(dollarLines(report, same)).toEqual([`b.jsonl: no price for new-model: 3 of ${calls} calls are not in the dollars`]);
});

test("a run without the policy recorded says nothing of dollars", () => {
  expect(dollarLines(REPORT, same)).toEqual([]);
});

test("each session's real window is said with its reason, working room is not", () => {
  const window = { kind: "real", tokens: 200_000, reason: "the agent compacted by itself at 167,370 tokens" } as const;
  const rows = REPORT.rows.map((row) => (row.session === "a.jsonl" ? { ...row, window } : row));
  expect(windowLines({ rows }, same)).toEqual([
    "real window of a.jsonl: 200k tokens: the agent compacted by itself at 167,370 tokens",
  ]);
  expect(windowCounts({ rows })).toEqual(["real windows, tokens: 200k in 1 session; why each: --html, --markdown"]);
  expect(windowCounts(REPORT)).toEqual([]);
});
