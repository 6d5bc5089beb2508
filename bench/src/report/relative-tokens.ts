import type { RowMetrics } from "../results.ts";

/** Prompt tokens of one policy as a ratio to another's, over the sessions in which at least one of the two acted. */
export interface RelativeTokens {
  readonly sessions: number;
  /** Geometric mean of the sessions' ratios: each session counts the same. */
  readonly geometricMeanRatio: number;
  /** Sum over sum: each token counts the same. */
  readonly pooledRatio: number;
}

interface TokenRow {
  readonly session: string;
  readonly metrics: RowMetrics;
}

/** True if the policy compacted, tried to, or sent other sizes than the baseline did (by truncation on arrival). */
export function hasActed(row: TokenRow, baseline: TokenRow | undefined): boolean {
  const { compactions, failedCompactions, promptTokens } = row.metrics.economy;
  if (compactions + failedCompactions > 0) return true;
  return baseline !== undefined && promptTokens !== baseline.metrics.economy.promptTokens;
}

/** Compares the rows with those of the baseline; `null` where no session is in both with something to compare. */
export function relativeTokens(
  rows: readonly TokenRow[],
  baselineBySession: ReadonlyMap<string, TokenRow>,
): RelativeTokens | null {
  const pairs = rows.flatMap((row) => {
    const baseline = baselineBySession.get(row.session);
    if (baseline === undefined || !(hasActed(row, baseline) || hasActed(baseline, undefined))) return [];
    const tokens = row.metrics.economy.promptTokens;
    const baselineTokens = baseline.metrics.economy.promptTokens;
    return tokens > 0 && baselineTokens > 0 ? [{ tokens, baselineTokens }] : [];
  });
  if (pairs.length === 0) return null;
  const logSum = pairs.reduce((sum, { tokens, baselineTokens }) => sum + Math.log(tokens / baselineTokens), 0);
  const tokenSum = pairs.reduce((sum, { tokens }) => sum + tokens, 0);
  const baselineSum = pairs.reduce((sum, { baselineTokens }) => sum + baselineTokens, 0);
  return {
    sessions: pairs.length,
    geometricMeanRatio: Math.exp(logSum / pairs.length),
    pooledRatio: tokenSum / baselineSum,
  };
}
