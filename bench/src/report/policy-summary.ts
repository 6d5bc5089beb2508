import { METRICS, type PooledMetrics, pooledOf, type RowMetrics, type RunMetrics } from "../metrics/registry.ts";
import { BASELINE_POLICY, hasActed } from "../metrics/relative.ts";
import type { BenchReport, ReplayRow } from "../results.ts";
import { withoutApart } from "./apart.ts";
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
  /** The pooled results of the sessions, by metric. */
  readonly metrics: PooledMetrics;
}

/** One row of the report that has figures. */
export type MeasuredRow = ReplayRow & { readonly metrics: RowMetrics };

/** One summary for each window and policy, windows and policies in the order of the report. The metrics are those of its run. */
export function summarizePolicies(report: BenchReport, metrics: RunMetrics = METRICS): readonly PolicySummary[] {
  const known = summaries.get(report);
  if (known?.metrics === metrics) return known.of;
  const made = summariesOf(report, metrics);
  summaries.set(report, { metrics, of: made });
  return made;
}

/** Tables, verdicts and answers all ask for the summaries of one report. */
const summaries = new WeakMap<BenchReport, { readonly metrics: RunMetrics; readonly of: readonly PolicySummary[] }>();

function summariesOf(whole: BenchReport, metrics: RunMetrics): readonly PolicySummary[] {
  const report = withoutApart(whole);
  const labels = windowLabels(report);
  const lineageOf = new Map(report.sessions.map(({ session, lineage }) => [session, lineage]));
  return labels.flatMap((label) => {
    const inWindow = report.rows.filter((row) => windowLabel(row.window) === label);
    const baseline = new Map(measured(inWindow, BASELINE_POLICY).map((row) => [row.session, row]));
    return report.policies.map(({ name, policy }) => {
      const rows = measured(inWindow, name).map((row) => {
        const lineage = lineageOf.get(row.session);
        return lineage === undefined ? row : { ...row, lineage };
      });
      return {
        policy: name,
        isActing: isActing(policy),
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

/** False for a policy that is off (`enabled: false`), which never compacts by itself. */
export function isActing(policy: unknown): boolean {
  return !(typeof policy === "object" && policy !== null && "enabled" in policy && policy.enabled === false);
}

function hasFired({ metrics: { economy } }: MeasuredRow): boolean {
  return economy.compactions + economy.failedCompactions > 0;
}

/**
 * Lists the remarks that a reader must know about rows of one window before comparing them: nothing fired, or sessions are missing. What holds for
 * several is said once.
 */
export function remarks(summaries: readonly PolicySummary[]): readonly string[] {
  const policiesOf = new Map<string, string[]>();
  for (const summary of summaries)
    for (const text of rowRemarks(summary)) policiesOf.set(text, [...(policiesOf.get(text) ?? []), summary.policy]);
  return [...policiesOf].map(([text, policies]) => `${namesOf(policies, summaries)}: ${text}`);
}

/** So many that are left out of "all" are named; chosen. */
const MOST_BUT = 2;

function namesOf(policies: readonly string[], summaries: readonly PolicySummary[]): string {
  const others = summaries.map(({ policy }) => policy).filter((policy) => !policies.includes(policy));
  if (policies.length === 1 || others.length > MOST_BUT || others.length >= policies.length) return policies.join(", ");
  return others.length === 0 ? "All policies" : `All policies but ${others.join(" and ")}`;
}

function rowRemarks({ sessions, firedSessions, actedSessions, notApplicable, isActing }: PolicySummary): readonly string[] {
  const shortenedIn = actedSessions > 0 ? `; in ${actedSessions} it acted, by shortening results as they came` : "";
  return [
    ...(isActing && sessions > 0 && firedSessions === 0
      ? [`nothing fired in ${formatNumberOf(sessions, "session")}, the window never filled up to the trigger${shortenedIn}.`]
      : []),
    ...(notApplicable > 0 ? [`${formatNumberOf(notApplicable, "session")} left out, the window does not apply.`] : []),
  ];
}
