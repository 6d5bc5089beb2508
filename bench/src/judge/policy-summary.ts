import { BASELINE_POLICY, hasActed } from "../metrics/has-acted.ts";
import { METRICS, type PooledMetrics, pooledOf, type RowMetrics, type RunMetrics } from "../metrics/registry.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { withoutApart } from "./apart.ts";
import { windowLabel } from "./window-label.ts";

/** The sums of a policy in a window over all sessions to which it applies; {@link Standing} is the basis of comparison. */
export interface PolicySummary {
  readonly policy: string;
  /** False for policies that never edit by themselves. */
  readonly isActing: boolean;
  readonly windowLabel: string;
  readonly sessions: number;
  /** Sessions to which the window does not apply; they are in no other figure. */
  readonly notApplicable: readonly string[];
  /** Sessions in which the policy compacted or truncated something. */
  readonly actedSessions: number;
  /** Sessions in which at least one compaction happened or was tried. */
  readonly firedSessions: number;
  readonly metrics: PooledMetrics;
}

/** One row of the report that has figures. */
export type MeasuredRow = ReplayRow & { readonly metrics: RowMetrics };

/** Sums up every policy in every window, windows and policies in the order of the report. The metrics are those of its run. */
export function summarizePolicies(whole: BenchReport, metrics: RunMetrics = METRICS): readonly PolicySummary[] {
  const report = withoutApart(whole);
  const labels = windowLabels(report);
  return labels.flatMap((label) => {
    const inWindow = report.rows.filter((row) => windowLabel(row.window) === label);
    const baseline = new Map(measured(inWindow, BASELINE_POLICY).map((row) => [row.session, row]));
    return report.policies.map(({ name, policy }) => {
      const rows = measured(inWindow, name);
      return {
        policy: name,
        isActing: policy.enabled,
        windowLabel: label,
        sessions: rows.length,
        notApplicable: inWindow.flatMap((row) => (row.policy === name && row.metrics === null ? [row.session] : [])),
        actedSessions: rows.filter((row) => hasActed(row, baseline.get(row.session))).length,
        firedSessions: rows.filter(({ metrics: { economy } }) => economy.compactions + economy.failedCompactions > 0).length,
        metrics: pooledOf(metrics, rows),
      };
    });
  });
}

/** The labels of the report's windows, each once, in their order. */
export function windowLabels(report: BenchReport): readonly string[] {
  return [...new Set(report.rows.map((row) => windowLabel(row.window)))];
}

function measured(rows: readonly ReplayRow[], policy: string): readonly MeasuredRow[] {
  return rows.filter(isMeasured).filter((row) => row.policy === policy);
}

/** Whether the row has figures. */
export function isMeasured(row: ReplayRow): row is MeasuredRow {
  return row.metrics !== null;
}
