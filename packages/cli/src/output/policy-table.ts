import type { BenchReport, RunMetrics } from "@plimsoll/bench";
import { remarks } from "@plimsoll/bench/internal";
import { metricTables } from "./metric-table.ts";

/** One table a window, with a row a policy over all sessions, and below it what must be known about a row. */
export function policyTables(report: BenchReport, metrics: RunMetrics): string {
  return metricTables(report, {
    metrics,
    table: "terminal",
    first: { title: "fired", textOf: ({ firedSessions, sessions }) => `${firedSessions}/${sessions}`, group: "replayed" },
    titleOf: (label) => label,
    remarksOf: remarks,
  });
}

/** One table a window: what each policy cost over all sessions. Percentages are geometric means. */
export function costTables(report: BenchReport, metrics: RunMetrics): string {
  return metricTables(report, {
    metrics,
    table: "terminal-cost",
    first: {
      title: "priced",
      textOf: ({ metrics: { cost }, sessions }) => `${cost.pricedSessions}/${sessions}`,
      group: "priced",
    },
    titleOf: (label) => `cost, ${label}`,
    remarksOf: () => [],
  });
}
