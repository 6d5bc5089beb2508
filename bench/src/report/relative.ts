import type { RowMetrics } from "../results.ts";

/** One policy's figure as a ratio to another's, over the sessions in which at least one of the two acted and both have the figure. */
export interface Relative {
  readonly sessions: number;
  /** Geometric mean of the sessions' ratios: each session counts the same. */
  readonly geometricMeanRatio: number;
  /** Sum over sum: each token or dollar counts the same. */
  readonly pooledRatio: number;
}

interface ComparedRow {
  readonly session: string;
  readonly metrics: RowMetrics;
}

/** True if the policy compacted, tried to, or sent other sizes than the baseline did (by truncation on arrival). */
export function hasActed(row: ComparedRow, baseline: ComparedRow | undefined): boolean {
  const { compactions, failedCompactions, promptTokens } = row.metrics.economy;
  if (compactions + failedCompactions > 0) return true;
  return baseline !== undefined && promptTokens !== baseline.metrics.economy.promptTokens;
}

/** What is compared: a figure that is above zero, or `null` where it is not known. */
export type Figure = (metrics: RowMetrics) => number | null;

/** Compares the rows with those of the baseline; `null` where no session is in both with something to compare. */
export function relativeTo(
  rows: readonly ComparedRow[],
  baselineBySession: ReadonlyMap<string, ComparedRow>,
  figure: Figure,
): Relative | null {
  const pairs = rows.flatMap((row) => {
    const baseline = baselineBySession.get(row.session);
    if (baseline === undefined || !(hasActed(row, baseline) || hasActed(baseline, undefined))) return [];
    const own = figure(row.metrics) ?? 0;
    const other = figure(baseline.metrics) ?? 0;
    return own > 0 && other > 0 ? [{ own, other }] : [];
  });
  if (pairs.length === 0) return null;
  const logSum = pairs.reduce((sum, { own, other }) => sum + Math.log(own / other), 0);
  const ownSum = pairs.reduce((sum, { own }) => sum + own, 0);
  const otherSum = pairs.reduce((sum, { other }) => sum + other, 0);
  return {
    sessions: pairs.length,
    geometricMeanRatio: Math.exp(logSum / pairs.length),
    pooledRatio: ownSum / otherSum,
  };
}
