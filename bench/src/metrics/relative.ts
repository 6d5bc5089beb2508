import { geometricMeanOf, type InSession, inLineages, unitOf } from "../statistics.ts";
import type { MetricMeaning, Relative } from "./metric.ts";

/** The parts of a row by which it is compared. */
export interface ComparedRow extends InSession {
  readonly metrics: {
    readonly economy: { readonly compactions: number; readonly failedCompactions: number; readonly promptTokens: number };
  };
}

/** The name of the policy that others are compared with. */
export const BASELINE_POLICY = "none";

/** True if the policy compacted, tried to, or sent other sizes than the baseline did (by truncation on arrival). */
export function hasActed(row: ComparedRow, baseline: ComparedRow | undefined): boolean {
  const { compactions, failedCompactions, promptTokens } = row.metrics.economy;
  if (compactions + failedCompactions > 0) return true;
  return baseline !== undefined && promptTokens !== baseline.metrics.economy.promptTokens;
}

/** One sum against another; `null` if there is nothing to divide by. */
export function ratioOfSums(own: readonly (number | null)[], other: readonly (number | null)[]): Relative | null {
  const [ownSum, otherSum] = [own, other].map((figures) => figures.reduce<number>((sum, figure) => sum + (figure ?? 0), 0));
  if (ownSum === undefined || otherSum === undefined || otherSum === 0) return null;
  const ratio = ownSum / otherSum;
  return { sessions: own.length, geometricMeanRatio: ratio, pooledRatio: ratio };
}

/**
 * Compares the rows with those of the baseline by a figure that is above zero, or `null` if it is not known; `null` if no session is in
 * both with something to compare.
 */
export function relativeTo<Row extends ComparedRow>(
  rows: readonly Row[],
  baselineBySession: ReadonlyMap<string, Row>,
  figure: (row: Row) => number | null,
): Relative | null {
  const pairs = rows.flatMap((row) => {
    const baseline = baselineBySession.get(row.session);
    if (baseline === undefined || !(hasActed(row, baseline) || hasActed(baseline, undefined))) return [];
    const own = figure(row) ?? 0;
    const other = figure(baseline) ?? 0;
    return own > 0 && other > 0 ? [{ ...unitOf(row), own, other }] : [];
  });
  const units = inLineages(pairs).flatMap((unit) => geometricMeanOf(unit.map(({ own, other }) => own / other)) ?? []);
  const geometricMeanRatio = geometricMeanOf(units);
  if (geometricMeanRatio === null) return null;
  const ownSum = pairs.reduce((sum, { own }) => sum + own, 0);
  const otherSum = pairs.reduce((sum, { other }) => sum + other, 0);
  return { sessions: pairs.length, geometricMeanRatio, pooledRatio: ownSum / otherSum };
}

/** The meaning of a figure against the baseline. */
export const RELATIVE_MEANINGS: Readonly<Record<"mean" | "pooled", MetricMeaning>> = {
  mean: {
    unit: "% of doing nothing",
    better: "lower",
    method:
      "Geometric mean of the sessions' ratios, over sessions in which the policy or doing nothing acted: each session counts the same, and those of one lineage count as one.",
    caveat: "Doing nothing is charged as if its window were large enough, also where it would have been rejected.",
  },
  pooled: {
    unit: "% of doing nothing",
    better: "lower",
    method: "Sum over sum of the same sessions: each token or dollar counts the same.",
    caveat: "The longest sessions decide it.",
  },
};
