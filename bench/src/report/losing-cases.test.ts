import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { paretoFront } from "../tune/pareto.ts";
import { losingCases } from "./losing-cases.ts";
import { renderMarkdownReport } from "./markdown.ts";

/** The example with other dollars and no overflow without compaction, so that costs can be compared. */
function priced(usd: (row: ReplayRow) => number, overflows = 0): BenchReport {
  const report = exampleReport({ sessions: ["a|b.jsonl"] });
  return {
    ...report,
    rows: report.rows.map((row) => {
      const { metrics } = row;
      if (metrics === null) return row;
      const safety = { ...metrics.safety, overflowingRequests: overflows };
      return { ...row, metrics: { ...metrics, safety, cost: { ...metrics.cost, withCacheUsd: usd(row) } } };
    }),
  };
}

const dearer = (row: ReplayRow) => (row.policy === "sven" ? 3 : 2);

describe("losing cases", () => {
  test("are those in which a policy cost more than doing nothing", () => {
    expect(losingCases(priced(dearer))).toEqual([
      { session: "a|b.jsonl", policy: "sven", windowLabel: "working room 64k", costRatio: 1.5 },
    ]);
    expect(renderMarkdownReport(priced(dearer))).toContain("| a\\|b.jsonl | working room 64k | sven\\* | 150.0 |");
  });

  test.each([
    ["doing nothing overflowed", priced(dearer, 4)],
    ["it cost the same", priced(() => 2)],
    ["it cost less", priced((row) => (row.policy === "sven" ? 1 : 2))],
  ])("are none if %s", (_, report) => {
    expect(losingCases(report)).toEqual([]);
    expect(renderMarkdownReport(report)).not.toContain("Cells in which a policy cost more");
  });
});

test.each([
  [
    "one beats the other in both",
    [
      [1, 5],
      [2, 4],
    ],
    [[1, 5]],
  ],
  [
    "each is better in one",
    [
      [2, 6],
      [1, 5],
    ],
    [
      [1, 5],
      [2, 6],
    ],
  ],
  [
    "two are equal",
    [
      [1, 5],
      [1, 5],
    ],
    [[1, 5]],
  ],
  [
    "one costs the same and keeps less",
    [
      [1, 4],
      [1, 5],
      [3, 9],
      [2, 5],
    ],
    [
      [1, 5],
      [3, 9],
    ],
  ],
  ["there is nothing", [], []],
])("the front if %s", (_, points, front) => {
  const entries = points.map(([cost = 0, gain = 0]) => ({ cost, gain }));
  expect(paretoFront(entries).map(({ cost, gain }) => [cost, gain])).toEqual(front);
});
