import type { RowMetrics } from "../metrics/registry.ts";
import { METRICS, type PooledMetrics, pooledOf, type RunMetrics } from "../metrics/registry.ts";
import { BASELINE_POLICY, hasActed } from "../metrics/relative.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { formatNumberOf } from "./figures.ts";
import { windowLabel } from "./labels.ts";

/** One policy in one window over all sessions to which it applies. */
export interface PolicySummary {
  readonly policy: string;
  /** False for policies that never edit by themselves. */
  readonly isActing: boolean;
  readonly windowLabel: string;
  readonly sessions: number;
  /** Sessions to which the window does not apply; they are in no other figure. */
  readonly notApplicable: number;
  /** Sessions in which the policy compacted or truncated something. */
  readonly actedSessions: number;
  /** Sessions in which at least one compaction happened or was tried. */
  readonly firedSessions: number;
  /** What the sessions come to, by metric. */
  readonly metrics: PooledMetrics;
}

/** One row of the report that has figures. */
export type MeasuredRow = ReplayRow & { readonly metrics: RowMetrics };

/** One summary for each window and policy, windows and policies in the order of the report. The metrics are those of its run. */
export function summarizePolicies(report: BenchReport, metrics: RunMetrics = METRICS): readonly PolicySummary[] {
  const labels = windowLabels(report);
  return labels.flatMap((label) => {
    const inWindow = report.rows.filter((row) => windowLabel(row.window) === label);
    const baseline = new Map(measured(inWindow, BASELINE_POLICY).map((row) => [row.session, row]));
    return report.policies.map(({ name, policy }) => {
      const rows = measured(inWindow, name);
      return {
        policy: name,
        isActing: isEnabled(policy),
        windowLabel: label,
        sessions: rows.length,
        notApplicable: inWindow.filter((row) => row.policy === name && row.metrics === null).length,
        actedSessions: rows.filter((row) => hasActed(row, baseline.get(row.session))).length,
        firedSessions: rows.filter(hasFired).length,
        metrics: pooledOf(metrics, rows, name === BASELINE_POLICY ? { kind: "none" } : { kind: "sessions", rows: baseline }),
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

function isEnabled(policy: unknown): boolean {
  return !(typeof policy === "object" && policy !== null && "enabled" in policy && policy.enabled === false);
}

function hasFired({ metrics: { economy } }: MeasuredRow): boolean {
  return economy.compactions + economy.failedCompactions > 0;
}

/** What a reader must know about a row before comparing it: nothing fired, or sessions are missing from it. */
export function remarks(summary: PolicySummary): readonly string[] {
  const { policy, sessions, firedSessions, actedSessions, notApplicable, isActing } = summary;
  const truncated = actedSessions > 0 ? `; it truncated results in ${actedSessions}` : "";
  return [
    ...(isActing && sessions > 0 && firedSessions === 0
      ? [
          `${policy}: nothing fired in ${formatNumberOf(sessions, "session")}; the window never filled up to its trigger${truncated}.`,
        ]
      : []),
    ...(notApplicable > 0
      ? [`${policy}: ${formatNumberOf(notApplicable, "session")} left out, the window does not apply.`]
      : []),
  ];
}
