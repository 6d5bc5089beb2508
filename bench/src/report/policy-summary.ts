import type { ArtifactCount, BenchReport, DecayStep, KeptCount, ReplayRow, RetentionCount, RowMetrics } from "../results.ts";
import type { CalibrationSummary } from "./calibration-summary.ts";
import { summarizeCalibration } from "./calibration-summary.ts";
import { type CostSummary, summarizeCost } from "./cost-summary.ts";
import { hasActed, type Relative, relativeTo } from "./relative.ts";
import { windowLabel } from "./window-label.ts";

/** One policy in one window over all sessions to which it applies. Counts are sums; retention is pooled over all uses. */
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
  readonly safety: RowMetrics["safety"];
  readonly economy: RowMetrics["economy"];
  /** Prompt tokens against the baseline's. */
  readonly relative: Relative | null;
  readonly cost: CostSummary;
  readonly retention: RowMetrics["retention"];
  readonly decay: RowMetrics["decay"];
  readonly obligations: RowMetrics["obligations"];
  readonly rereads: RowMetrics["rereads"];
  readonly calibration: CalibrationSummary | null;
  readonly work: RowMetrics["work"];
}

/** One row of the report that has figures. */
export type MeasuredRow = ReplayRow & { readonly metrics: RowMetrics };

/** The name of the policy that others are compared with. */
export const BASELINE_POLICY = "none";

/** One summary for each window and policy, windows and policies in the order of the report. */
export function summarizePolicies(report: BenchReport): readonly PolicySummary[] {
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
        ...summarizeRows(rows),
        notApplicable: inWindow.filter((row) => row.policy === name && row.metrics === null).length,
        actedSessions: rows.filter((row) => hasActed(row, baseline.get(row.session))).length,
        relative: name === BASELINE_POLICY ? null : relativeTo(rows, baseline, ({ economy }) => economy.promptTokens),
        cost: summarizeCost(rows, name === BASELINE_POLICY ? null : baseline),
      };
    });
  });
}

/** The labels of the report's windows, each once, in their order. */
export function windowLabels(report: BenchReport): readonly string[] {
  return [...new Set(report.rows.map((row) => windowLabel(row.window)))];
}

function measured(rows: readonly ReplayRow[], policy: string): readonly MeasuredRow[] {
  return rows.flatMap((row) => (row.policy === policy && row.metrics !== null ? [{ ...row, metrics: row.metrics }] : []));
}

function isEnabled(policy: unknown): boolean {
  return !(typeof policy === "object" && policy !== null && "enabled" in policy && policy.enabled === false);
}

type RowFigures = Omit<
  PolicySummary,
  "policy" | "isActing" | "windowLabel" | "notApplicable" | "actedSessions" | "relative" | "cost"
>;

function summarizeRows(rows: readonly MeasuredRow[]): RowFigures {
  const sum = (figure: (metrics: RowMetrics) => number) => rows.reduce((total, row) => total + figure(row.metrics), 0);
  const headrooms = rows.flatMap(({ metrics }) => metrics.safety.smallestHeadroomTokens ?? []);
  return {
    sessions: rows.length,
    firedSessions: rows.filter(({ metrics }) => metrics.economy.compactions + metrics.economy.failedCompactions > 0).length,
    safety: {
      calls: sum(({ safety }) => safety.calls),
      overflowingRequests: sum(({ safety }) => safety.overflowingRequests),
      unrecoveredRequests: sum(({ safety }) => safety.unrecoveredRequests),
      invalidRequests: sum(({ safety }) => safety.invalidRequests),
      irreducibleRequests: sum(({ safety }) => safety.irreducibleRequests),
      emergencyCompactions: sum(({ safety }) => safety.emergencyCompactions),
      smallestHeadroomTokens: headrooms.length === 0 ? null : Math.min(...headrooms),
    },
    economy: {
      compactions: sum(({ economy }) => economy.compactions),
      failedCompactions: sum(({ economy }) => economy.failedCompactions),
      promptTokens: sum(({ economy }) => economy.promptTokens),
      peakPromptTokens: rows.reduce((peak, row) => Math.max(peak, row.metrics.economy.peakPromptTokens), 0),
      messagesRemoved: sum(({ economy }) => economy.messagesRemoved),
      marginSpentRatio: meanByCompactions(rows),
    },
    retention: {
      all: pooled(rows.map((row) => row.metrics.retention.all)),
      far: pooled(rows.map((row) => row.metrics.retention.far)),
      compactedAway: pooled(rows.map((row) => row.metrics.retention.compactedAway)),
      artifacts: {
        read: pooledFiles(rows.map((row) => row.metrics.retention.artifacts.read)),
        modified: pooledFiles(rows.map((row) => row.metrics.retention.artifacts.modified)),
      },
    },
    decay: pooledDecay(rows.flatMap((row) => row.metrics.decay)),
    obligations: {
      instructions: pooledKept(rows.map((row) => row.metrics.obligations.instructions)),
      lastError: pooledKept(rows.map((row) => row.metrics.obligations.lastError)),
      openTasks: pooledKept(rows.map((row) => row.metrics.obligations.openTasks)),
    },
    rereads: { touches: sum(({ rereads }) => rereads.touches), atRisk: sum(({ rereads }) => rereads.atRisk) },
    calibration: summarizeCalibration(rows.flatMap((row) => row.metrics.calibration ?? [])),
    work: {
      charactersScanned: sum(({ work }) => work.charactersScanned),
      messagesVisited: sum(({ work }) => work.messagesVisited),
      tokenizerCalls: sum(({ work }) => work.tokenizerCalls),
    },
  };
}

function pooled(counts: readonly RetentionCount[]): RetentionCount {
  const sum = (figure: (count: RetentionCount) => number) => counts.reduce((total, count) => total + figure(count), 0);
  return {
    uses: sum(({ uses }) => uses),
    recalled: sum(({ recalled }) => recalled),
    evidenced: sum(({ evidenced }) => evidenced),
    sourceEvidenced: sum(({ sourceEvidenced }) => sourceEvidenced),
    behindHandle: sum(({ behindHandle }) => behindHandle),
  };
}

function pooledDecay(steps: readonly DecayStep[]): readonly DecayStep[] {
  const counts = [...new Set(steps.map(({ compactions }) => compactions))].toSorted((a, b) => a - b);
  return counts.map((compactions) => {
    const alike = steps.filter((step) => step.compactions === compactions);
    return {
      compactions,
      uses: alike.reduce((sum, { uses }) => sum + uses, 0),
      sourceEvidenced: alike.reduce((sum, { sourceEvidenced }) => sum + sourceEvidenced, 0),
    };
  });
}

function pooledKept(counts: readonly KeptCount[]): KeptCount {
  return {
    due: counts.reduce((total, { due }) => total + due, 0),
    kept: counts.reduce((total, { kept }) => total + kept, 0),
  };
}

function meanByCompactions(rows: readonly MeasuredRow[]): number | null {
  const known = rows.flatMap(({ metrics: { economy } }) =>
    economy.marginSpentRatio === null ? [] : [{ ratio: economy.marginSpentRatio, weight: economy.compactions }],
  );
  const weight = known.reduce((sum, entry) => sum + entry.weight, 0);
  return weight === 0 ? null : known.reduce((sum, entry) => sum + entry.ratio * entry.weight, 0) / weight;
}

function pooledFiles(counts: readonly ArtifactCount[]): ArtifactCount {
  return {
    files: counts.reduce((total, { files }) => total + files, 0),
    named: counts.reduce((total, { named }) => total + named, 0),
  };
}
