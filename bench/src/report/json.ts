import type { BenchReport } from "../results.ts";
import { windowComparisons } from "./comparisons.ts";

/** The report with its comparisons as JSON, an entry of each list on a line of its own, so that two runs can be compared line by line. */
export function renderJsonReport(report: BenchReport): string {
  const comparisons = windowComparisons(report).flatMap(({ policies }) => policies);
  const fields = Object.entries({ ...report, comparisons }).map(
    ([name, value]) => `${JSON.stringify(name)}: ${fieldJson(value)}`,
  );
  return `{\n${fields.join(",\n")}\n}\n`;
}

function fieldJson(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value);
  return `[\n${value.map((entry) => JSON.stringify(entry)).join(",\n")}\n]`;
}
