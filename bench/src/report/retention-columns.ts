import {
  ARTIFACT_MEANING,
  OBLIGATION_MEANINGS,
  REREAD_MEANING,
  RETENTION_MEANINGS,
} from "../metrics/meanings/retention-meanings.ts";
import type { ObligationMetrics, RetentionCount, RetentionMetrics } from "../results.ts";
import { formatCount, formatPercent, ratioOf } from "./figures.ts";
import { type FigureColumn, type NumberColumn, numberColumn } from "./html-figure-table.ts";
import { percentOf } from "./policy-columns.ts";
import type { PolicySummary } from "./policy-summary.ts";

type Column = FigureColumn<PolicySummary>;
type Share = Omit<NumberColumn<PolicySummary>, "format">;

const percent = (column: Share): Column => numberColumn({ ...column, format: formatPercent });

const uses = (group: string, of: (retention: RetentionMetrics) => RetentionCount): readonly Column[] => {
  const share = (title: string, part: Exclude<keyof RetentionCount, "uses">): Column =>
    percent({
      group,
      title,
      meaning: RETENTION_MEANINGS[part],
      value: ({ retention }) => percentOf(ratioOf(of(retention)[part], of(retention).uses)),
    });
  return [
    numberColumn({
      group,
      title: "uses",
      meaning: RETENTION_MEANINGS.uses,
      value: ({ retention }) => of(retention).uses,
      format: formatCount,
    }),
    share("recall %", "recalled"),
    share("evidence %", "evidenced"),
    share("source %", "sourceEvidenced"),
    share("behind a handle %", "behindHandle"),
  ];
};

const artifacts = (kind: "read" | "modified"): Column =>
  percent({
    group: "files still named, %",
    title: kind,
    meaning: ARTIFACT_MEANING,
    value: ({ retention }) => percentOf(ratioOf(retention.artifacts[kind].named, retention.artifacts[kind].files)),
  });

const literal = (title: string, kind: keyof ObligationMetrics): Column =>
  percent({
    group: "still literal, %",
    title,
    meaning: OBLIGATION_MEANINGS[kind],
    value: ({ obligations }) => percentOf(ratioOf(obligations[kind].kept, obligations[kind].due)),
  });

/** Columns of the table of retention in full. */
export const RETENTION_COLUMNS: readonly Column[] = [
  ...uses("all uses", ({ all }) => all),
  ...uses("far uses", ({ far }) => far),
  ...uses("compacted away by the recorded agent", ({ compactedAway }) => compactedAway).slice(0, 4),
  artifacts("read"),
  artifacts("modified"),
  literal("the person's messages", "instructions"),
  literal("last error", "lastError"),
  literal("open tasks", "openTasks"),
  percent({
    group: "again",
    title: "files touched whose reading is gone, %",
    meaning: REREAD_MEANING,
    value: ({ rereads }) => percentOf(ratioOf(rereads.atRisk, rereads.touches)),
  }),
];
