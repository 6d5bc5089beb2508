import { inflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { type ChartBlocks, chartBlocks } from "./chart-data.ts";
import { shownReport } from "./report-tables.ts";

const blocksOf = (report: ReturnType<typeof exampleReport>) => chartBlocks(shownReport(report));
const unpacked = ({ blocks }: ChartBlocks, id: string) =>
  JSON.parse(inflateRawSync(Buffer.from(blocks.find((block) => block.id === id)?.base64 ?? "", "base64")).toString("utf8"));

const sums = (steps: readonly number[]) => {
  let total = 0;
  return steps.map((step) => {
    total += step;
    return total;
  });
};

interface UnpackedLine {
  readonly callSteps: readonly number[];
  readonly tokenSteps: readonly number[];
  readonly compacted: readonly number[];
  readonly overflowRuns: readonly (readonly [number, number])[];
}

describe("chartBlocks", () => {
  test("keeps every call, size, compaction and overflow of a short session", () => {
    const report = exampleReport({ sessions: ["a"], calls: 300 });
    const [cell] = unpacked(blocksOf(report), "session-0").cells;
    const lines = cell.lines.map((line: UnpackedLine) => ({
      calls: sums(line.callSteps),
      tokens: sums(line.tokenSteps),
      compacted: line.compacted,
      overflowed: line.overflowRuns.flatMap(([from, length]) => Array.from({ length }, (_, index) => from + index)),
    }));
    expect(lines).toEqual(
      report.rows.map(({ series }) => ({
        calls: series.map(({ call }) => call + 1),
        tokens: series.map(({ promptTokens }) => promptTokens),
        compacted: series.flatMap(({ compactions: made }, index) => (made > 0 ? [index] : [])),
        overflowed: series.flatMap(({ overflowed }, index) => (overflowed ? [index] : [])),
      })),
    );
  });

  test("gives the baseline colour 0 and the other policies colours of their own", () => {
    expect(blocksOf(exampleReport()).index.policies).toEqual([
      { name: "recorded", colour: 1, round: 0 },
      { name: "none", colour: 0, round: 0 },
      { name: "sven*", colour: 2, round: 0 },
    ]);
  });

  test("keeps why a cell has no figures", () => {
    const report = exampleReport({ sessions: ["a"] });
    const rows = report.rows.map((row) => ({ ...row, metrics: null, series: [], why: "too small" }));
    const [cell] = unpacked(blocksOf({ ...report, rows }), "session-0").cells;
    expect(cell.lines).toEqual(rows.map(() => expect.objectContaining({ why: "too small", figures: [], callSteps: [] })));
  });

  test("leaves points out if there are many rows, and never leaves out a compaction", () => {
    const sessions = Array.from({ length: 110 }, (_, place) => `s${place}`);
    const report = exampleReport({ sessions, calls: 30 });
    const long = exampleReport({ sessions: ["s0"], calls: 900 });
    const rows = [...long.rows, ...report.rows.filter(({ session }) => session !== "s0")];
    const [cell] = unpacked(blocksOf({ ...report, rows }), "session-0").cells;
    expect(cell.lines.map(({ compacted }: UnpackedLine) => compacted.length)).toEqual(
      long.rows.map(({ compactions }) => compactions.length),
    );
    expect(cell.lines.every(({ callSteps }: UnpackedLine) => callSteps.length < 600)).toBe(true);
  });
});
