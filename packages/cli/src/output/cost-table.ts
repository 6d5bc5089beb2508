import type { BenchReport, DollarSummary, PolicySummary } from "@plimsoll/bench";
import {
  BASELINE_POLICY,
  formatCount,
  formatRatioPercent,
  formatTokens,
  formatUsd,
  summarizePolicies,
  windowLabels,
} from "@plimsoll/bench";
import { shortened } from "../terminal/printable.ts";
import { drawTable, type TableCell } from "../terminal/text-table.ts";
import { POLICY_CHARS } from "./policy-table.ts";

/** The head; a space before a title sets a group of columns apart. */
const HEAD: readonly (readonly TableCell[])[] = [
  [
    { content: "" },
    { content: "" },
    { content: " with cache", span: 3, align: "center" },
    { content: " without", span: 2, align: "center" },
    { content: " tokens of prompts", span: 3, align: "center" },
    { content: " cache", span: 2, align: "center" },
  ],
  [
    "policy",
    "priced",
    " USD",
    "per 100",
    `% ${BASELINE_POLICY}`,
    " USD",
    `% ${BASELINE_POLICY}`,
    " read",
    "written",
    "other",
    " breaks",
    "cold",
  ].map((content) => ({ content })),
];

/** One table a window: what each policy cost over all sessions. Percentages are geometric means. */
export function costTables(report: BenchReport): string {
  const summaries = summarizePolicies(report);
  return windowLabels(report)
    .map((label) => {
      const rows = summaries.filter(({ windowLabel }) => windowLabel === label).map(costRow);
      return `cost, ${label}:\n\n${drawTable({ head: HEAD, rows, leftColumns: [0] })}`;
    })
    .join("\n\n");
}

function costRow({ policy, sessions, cost }: PolicySummary): readonly string[] {
  return [
    shortened(policy, POLICY_CHARS),
    `${cost.pricedSessions}/${sessions}`,
    ` ${formatUsd(cost.withCache.usd)}`,
    formatUsd(cost.withCache.per100CallsUsd),
    meanPercent(cost.withCache),
    ` ${formatUsd(cost.withoutCache.usd)}`,
    meanPercent(cost.withoutCache),
    ` ${formatTokens(cost.cacheReadTokens)}`,
    formatTokens(cost.cacheWriteTokens),
    formatTokens(cost.uncachedTokens),
    ` ${formatCount(cost.cacheBreaks)}`,
    formatCount(cost.cacheExpiries),
  ];
}

function meanPercent({ relative }: DollarSummary): string {
  return formatRatioPercent(relative?.geometricMeanRatio ?? null);
}
