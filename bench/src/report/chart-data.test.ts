import { describe, expect, test } from "vitest";
import { chartDataOf } from "./chart-data.ts";
import { exampleReport } from "./example-report.ts";

const sums = (steps: readonly number[]) => {
  let total = 0;
  return steps.map((step) => {
    total += step;
    return total;
  });
};

describe("chartDataOf", () => {
  test("keeps every call, size, compaction and overflow of a short session", () => {
    const report = exampleReport({ sessions: ["a"], calls: 300 });
    const [cell] = chartDataOf(report).cells;
    const lines = (cell?.lines ?? []).map((line) => ({
      calls: sums(line.callSteps),
      tokens: sums(line.tokenSteps),
      compacted: line.compacted,
      overflowed: line.overflowRuns.flatMap(([from, length]) => Array.from({ length }, (_, index) => from + index)),
    }));
    expect(lines).toEqual(
      report.rows.map(({ series }) => ({
        calls: series.map(({ call }) => call + 1),
        tokens: series.map(({ promptTokens }) => promptTokens),
        compacted: series.flatMap(({ compactions }, index) => (compactions > 0 ? [index] : [])),
        overflowed: series.flatMap(({ overflowed }, index) => (overflowed ? [index] : [])),
      })),
    );
  });

  test("gives the baseline colour 0 and the other policies colours of their own", () => {
    expect(chartDataOf(exampleReport()).policies).toEqual([
      { name: "recorded", colour: 1, round: 0 },
      { name: "none", colour: 0, round: 0 },
      { name: "sven", colour: 2, round: 0 },
    ]);
  });

  test("keeps why a cell has no figures", () => {
    const report = exampleReport({ sessions: ["a"] });
    const rows = report.rows.map((row) => ({ ...row, metrics: null, series: [], why: "too small" }));
    const [cell] = chartDataOf({ ...report, rows }).cells;
    expect(cell?.lines.map(({ why, figures, callSteps }) => ({ why, figures, callSteps }))).toEqual(
      rows.map(() => ({ why: "too small", figures: [], callSteps: [] })),
    );
  });
});
