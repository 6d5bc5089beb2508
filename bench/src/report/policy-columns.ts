import { ECONOMY_MEANINGS, RELATIVE_MEANINGS } from "../metrics/meanings/economy-meanings.ts";
import { RETENTION_MEANINGS } from "../metrics/meanings/retention-meanings.ts";
import { SAFETY_MEANINGS } from "../metrics/meanings/safety-meanings.ts";
import { SESSION_MEANINGS } from "../metrics/meanings/session-meanings.ts";
import type { RetentionCount, SafetyMetrics } from "../results.ts";
import { formatCount, formatRatioPercent, formatTokens, ratioOf } from "./figures.ts";
import { type FigureColumn, numberColumn } from "./html-figure-table.ts";
import { BASELINE_POLICY, type PolicySummary } from "./policy-summary.ts";

type Column = FigureColumn<PolicySummary>;
type Part = Exclude<keyof RetentionCount, "uses">;

/** Share of the uses, as percent. */
export function shareOfUses(count: RetentionCount, part: Part): string {
  return formatRatioPercent(ratioOf(count[part], count.uses));
}

const retention = (title: string, span: "all" | "far", part: Part): Column =>
  numberColumn({
    group: "retention at use, %",
    title,
    meaning: RETENTION_MEANINGS[part],
    value: (s) => percentOf(ratioOf(s.retention[span][part], s.retention[span].uses)),
    format: (value) => formatRatioPercent(value === null ? null : value / 100),
  });

/** A column of a count of which each is a failure. */
const failures = (title: string, figure: keyof SafetyMetrics): Column =>
  numberColumn({
    group: "safety",
    title,
    meaning: SAFETY_MEANINGS[figure],
    value: ({ safety }) => safety[figure],
    format: formatCount,
    isBad: ({ safety }) => (safety[figure] ?? 0) > 0,
  });

const relative = (title: string, meaning: "mean" | "pooled", of: (s: PolicySummary) => number | null): Column =>
  numberColumn({
    group: "size",
    title: `% of ${BASELINE_POLICY}, ${title}`,
    meaning: RELATIVE_MEANINGS[meaning],
    value: (s) => percentOf(of(s)),
    format: (value) => formatRatioPercent(value === null ? null : value / 100),
  });

/** A ratio as percent. */
export function percentOf(ratio: number | null): number | null {
  return ratio === null ? null : 100 * ratio;
}

/** Columns of the table that compares policies: size, the headline of retention, and safety. */
export const POLICY_COLUMNS: readonly Column[] = [
  numberColumn({
    group: "replayed",
    title: "fired in sessions",
    meaning: SESSION_MEANINGS.fired,
    value: (s) => s.firedSessions,
    format: formatCount,
  }),
  numberColumn({
    group: "replayed",
    title: "of sessions",
    meaning: SESSION_MEANINGS.sessions,
    value: (s) => s.sessions,
    format: formatCount,
  }),
  numberColumn({
    group: "replayed",
    title: "calls",
    meaning: SAFETY_MEANINGS.calls,
    value: (s) => s.safety.calls,
    format: formatCount,
  }),
  numberColumn({
    group: "size",
    title: "prompt tokens",
    meaning: ECONOMY_MEANINGS.promptTokens,
    value: (s) => s.economy.promptTokens,
    format: formatTokens,
  }),
  relative("mean", "mean", (s) => s.relative?.geometricMeanRatio ?? null),
  relative("pooled", "pooled", (s) => s.relative?.pooledRatio ?? null),
  numberColumn({
    group: "size",
    title: "peak tokens",
    meaning: ECONOMY_MEANINGS.peakPromptTokens,
    value: (s) => s.economy.peakPromptTokens,
    format: formatTokens,
  }),
  numberColumn({
    group: "size",
    title: "compac\u00adtions",
    meaning: ECONOMY_MEANINGS.compactions,
    value: (s) => s.economy.compactions,
    format: formatCount,
  }),
  numberColumn({
    group: "size",
    title: "margin spent, %",
    meaning: ECONOMY_MEANINGS.marginSpentRatio,
    value: (s) => percentOf(s.economy.marginSpentRatio),
    format: (value) => formatRatioPercent(value === null ? null : value / 100),
  }),
  numberColumn({
    group: "size",
    title: "failed",
    meaning: ECONOMY_MEANINGS.failedCompactions,
    value: (s) => s.economy.failedCompactions,
    format: formatCount,
  }),
  retention("recall, all", "all", "recalled"),
  retention("recall, far", "far", "recalled"),
  retention("source, all", "all", "sourceEvidenced"),
  retention("source, far", "far", "sourceEvidenced"),
  failures("over\u00adflows", "overflowingRequests"),
  failures("not re\u00adcovered", "unrecoveredRequests"),
  failures("invalid", "invalidRequests"),
  failures("irre\u00adducible", "irreducibleRequests"),
  numberColumn({
    group: "safety",
    title: "emer\u00adgency",
    meaning: SAFETY_MEANINGS.emergencyCompactions,
    value: (s) => s.safety.emergencyCompactions,
    format: formatCount,
  }),
  numberColumn({
    group: "safety",
    title: "smallest headroom",
    meaning: SAFETY_MEANINGS.smallestHeadroomTokens,
    value: (s) => s.safety.smallestHeadroomTokens,
    format: formatTokens,
  }),
];
