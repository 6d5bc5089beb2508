import { expect, test } from "vitest";
import { contextPlot } from "./context-plot.ts";

test("sizes are columns, compactions are marked below", () => {
  expect(contextPlot({ sizes: [1000, 4000, 8000, 2000], compactedBefore: [3] })).toEqual([
    " 8.00k │  █",
    "       │  █",
    "       │  █",
    "       │  █",
    "       │ ██",
    "       │ ██",
    "       │ ███",
    "     0 │████",
    "       └───◆",
    "        4 calls",
  ]);
});

test("of many calls the largest of each column is shown, within 80 columns", () => {
  const sizes = Array.from({ length: 1000 }, (_, call) => (call === 500 ? 1_000_000 : 10));
  const lines = contextPlot({ sizes, compactedBefore: [0, 999] });
  expect(lines[0]).toBe(`${" 1.00M │".padEnd(8 + 34)}█`);
  expect(lines.at(-2)).toBe(`       └◆${"─".repeat(66)}◆`);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("two hundred thousand calls are shown, more than a function takes arguments", () => {
  const sizes = Array.from({ length: 200_000 }, () => 10);
  expect(contextPlot({ sizes, compactedBefore: [] }).at(-1)).toContain("200,000 calls");
});

test("a session without calls has none", () => {
  expect(contextPlot({ sizes: [], compactedBefore: [] })).toEqual([]);
});
