import type { BenchReport, PolicySummary, RetentionCount } from "@plimsoll/bench";
import {
  BASELINE_POLICY,
  formatCount,
  formatRatioPercent,
  formatTokens,
  ratioOf,
  remarks,
  summarizePolicies,
  windowLabels,
} from "@plimsoll/bench";
import { shortened } from "../terminal/printable.ts";
import { drawTable, type TableCell } from "../terminal/text-table.ts";

/** Longer names of policies are shortened, so that the table stays within 100 columns. */
export const POLICY_CHARS: number = 20;

/** The head; a space before a title sets a group of columns apart. */
const HEAD: readonly (readonly TableCell[])[] = [
  [
    ...["", "", "", " over-", "in-", "com-", " prompt"].map((content) => ({ content })),
    { content: ` % of ${BASELINE_POLICY}`, span: 2, align: "center" },
    { content: " recall %", span: 2, align: "center" },
    { content: " source ev. %", span: 2, align: "center" },
  ],
  ["policy", "fired", "calls", " flows", "valid", "pact.", " tokens", " mean", "pooled", " all", "far", " all", "far"].map(
    (content) => ({ content }),
  ),
];

/** One table a window, with a row a policy over all sessions, and below it what must be known about a row. */
export function policyTables(report: BenchReport): string {
  const summaries = summarizePolicies(report);
  return windowLabels(report)
    .map((label) => {
      const inWindow = summaries.filter((summary) => summary.windowLabel === label);
      const table = drawTable({ head: HEAD, rows: inWindow.map(policyRow), leftColumns: [0] });
      return [`${label}:`, "", table, ...inWindow.flatMap(remarks)].join("\n");
    })
    .join("\n\n");
}

function policyRow(summary: PolicySummary): readonly string[] {
  const { safety, economy, retention, relative } = summary;
  return [
    shortened(summary.policy, POLICY_CHARS),
    `${summary.firedSessions}/${summary.sessions}`,
    formatCount(safety.calls),
    ` ${formatCount(safety.overflowingRequests)}`,
    formatCount(safety.invalidRequests),
    formatCount(economy.compactions),
    ` ${formatTokens(economy.promptTokens)}`,
    ` ${formatRatioPercent(relative?.geometricMeanRatio ?? null)}`,
    formatRatioPercent(relative?.pooledRatio ?? null),
    ` ${share(retention.all, "recalled")}`,
    share(retention.far, "recalled"),
    ` ${share(retention.all, "sourceEvidenced")}`,
    share(retention.far, "sourceEvidenced"),
  ];
}

function share(count: RetentionCount, part: "recalled" | "sourceEvidenced"): string {
  return formatRatioPercent(ratioOf(count[part], count.uses));
}
