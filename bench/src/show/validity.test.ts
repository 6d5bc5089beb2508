import { expect, test } from "vitest";
import { exampleReport, withMetrics } from "../../testing/example-report.ts";
import { recordedUsdText, sessionTable, validityLines } from "./validity.ts";

const report = exampleReport({ sessions: ["a.jsonl", "b.jsonl", "c.jsonl"] });
const withErrors = (errors: readonly number[]) => ({
  ...report,
  sessions: report.sessions.map((session, index) => ({
    ...session,
    sizeJudge: { ...session.sizeJudge, mapePercent: errors[index] ?? 0 },
  })),
});

test("says the median and the largest error, and marks what is beyond five percent", () => {
  const shown = withErrors([0.4, 7, 0.2]);
  expect(validityLines(shown)).toContain("prompt sizes, 3 recordings: median error 0.40%, largest 7.0%");
  expect(validityLines(shown)).toContain("For errors of dollars and cache, replay what was recorded: -p recorded");
  const { heads, rows } = sessionTable(shown, (session) => session);
  const place = heads.findIndex(({ title }) => title === "prompt sizes");
  expect(rows.map(({ name, cells }) => [name, cells[place]?.shown, cells[place]?.isBad])).toEqual([
    ["a.jsonl", "0.40", false],
    ["b.jsonl", "7.0", true],
    ["c.jsonl", "0.20", false],
  ]);
  const window = heads.findIndex(({ title }) => title === "real window");
  expect(rows[0]?.cells[window]?.shown).toBe("200k");
});

test("names the cause beside what is off", () => {
  const cacheValidity = {
    reportedReadTokens: 1000,
    computedReadTokens: 1100,
    errorPercent: 10,
    cause: "it was cold",
    reportedWriteTokens: 100,
    computedWriteTokens: 40,
    writeErrorPercent: -60,
  };
  const judged = withMetrics(report, (_, { session }) => (session === "a.jsonl" ? { cacheValidity } : {}));
  const [first, second] = sessionTable(judged, (session) => session).rows;
  const cells = first?.cells.map(({ shown }) => shown) ?? [];
  expect(cells.slice(-4)).toEqual(["10.0", "−60.0", "–", "it was cold"]);
  expect(second?.cells.at(-1)?.shown).toBe("");
});

test.each([
  ["all that is known", [{ recordedUsd: 2, recordedUsdIs: "whole", statedCostUsd: null }], "$2.00 by list prices"],
  ["a part", [{ recordedUsd: 2, recordedUsdIs: "a-part", statedCostUsd: null }], "at least $2.00 by list prices"],
  [
    "what a log says otherwise",
    [{ recordedUsd: 2, recordedUsdIs: "whole", statedCostUsd: 1 }],
    "$2.00 by list prices; its log says $1.00 (+100.0%)",
  ],
  ["a log alone", [{ recordedUsd: null, recordedUsdIs: "a-part", statedCostUsd: 1 }], "no prices known; its log says $1.00"],
  ["nothing", [{ recordedUsd: null, recordedUsdIs: "a-part", statedCostUsd: null }], null],
] as const)("says dollars: %s", (_, sessions, text) => {
  expect(recordedUsdText(sessions)).toBe(text);
});
