import type { ObligationMetrics, RetentionCount, RetentionMetrics } from "../results.ts";
import { formatCount, formatRatioPercent, ratioOf } from "./figures.ts";
import type { FigureColumn } from "./html-figure-table.ts";
import { shareOfUses } from "./policy-columns.ts";
import type { PolicySummary } from "./policy-summary.ts";

type Column = FigureColumn<PolicySummary>;

const uses = (group: string, of: (retention: RetentionMetrics) => RetentionCount): readonly Column[] => {
  const share = (title: string, part: Parameters<typeof shareOfUses>[1]): Column => ({
    group,
    title,
    figure: ({ retention }) => shareOfUses(of(retention), part),
  });
  return [
    { group, title: "uses", figure: ({ retention }) => formatCount(of(retention).uses) },
    share("recall %", "recalled"),
    share("evidence %", "evidenced"),
    share("source %", "sourceEvidenced"),
    share("behind a handle %", "behindHandle"),
  ];
};

const artifacts = (title: string, kind: "read" | "modified"): Column => ({
  group: "files still named, %",
  title,
  figure: ({ retention }) => formatRatioPercent(ratioOf(retention.artifacts[kind].named, retention.artifacts[kind].files)),
});

const literal = (title: string, kind: keyof ObligationMetrics): Column => ({
  group: "still literal, %",
  title,
  figure: ({ obligations }) => formatRatioPercent(ratioOf(obligations[kind].kept, obligations[kind].due)),
});

/** Columns of the table of retention in full. */
export const RETENTION_COLUMNS: readonly Column[] = [
  ...uses("all uses", ({ all }) => all),
  ...uses("far uses", ({ far }) => far),
  ...uses("compacted away by the recorded agent", ({ compactedAway }) => compactedAway).slice(0, 4),
  artifacts("read", "read"),
  artifacts("modified", "modified"),
  literal("the person's messages", "instructions"),
  literal("last error", "lastError"),
  literal("open tasks", "openTasks"),
  {
    group: "again",
    title: "files touched whose reading is gone, %",
    figure: ({ rereads }) => formatRatioPercent(ratioOf(rereads.atRisk, rereads.touches)),
  },
];
