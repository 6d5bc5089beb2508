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

/**
 * Sums up every policy in every window, windows and policies in the order of the report. Sums of all policies are over the same sessions: the recording,
 * which any window applies to, has only those of the run without compaction. The metrics are those of its run.
 */
export function summarizePolicies(whole: BenchReport, metrics: RunMetrics = METRICS): readonly PolicySummary[] {
  const report = withoutApart(whole);
  const hasBaseline = report.policies.some(({ name }) => name === BASELINE_POLICY);
  return windowLabels(report).flatMap((label) => {
    const inWindow = report.rows.filter((row) => windowLabel(row.window) === label);
    const unshaped = inWindow.filter(isMeasured).filter(({ policy }) => policy === BASELINE_POLICY);
    const baseline = new Map(unshaped.map((row) => [row.session, row]));
    const isApplied = (row: ReplayRow): row is MeasuredRow => isMeasured(row) && (!hasBaseline || baseline.has(row.session));
    return report.policies.map(({ name, policy }) => {
      const own = inWindow.filter((row) => row.policy === name);
      const rows = own.filter(isApplied);
      return {
        policy: name,
        isActing: policy.enabled,
        windowLabel: label,
        sessions: rows.length,
        notApplicable: own.filter((row) => !isApplied(row)).map(({ session }) => session),
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

/** Whether the row has figures. */
export function isMeasured(row: ReplayRow): row is MeasuredRow {
  return row.metrics !== null;
}
