import type { Prediction } from "../tokens/estimator.ts";

/** How full a context is, at a turn's end. */
export interface ContextUsage {
  /** Tokens that the next request is expected to take. */
  readonly tokens: number;
  /** The part that the provider reported with its last usage; 0 before the first report and after a compaction. */
  readonly usageTokens: number;
  /** The part that was estimated for what came after that report. */
  readonly trailingTokens: number;
}

/** The snapshot of a prediction. */
export function contextUsage(prediction: Prediction): ContextUsage {
  const { expectedTokens, reportedTokens, estimatedTokens } = prediction;
  return { tokens: expectedTokens, usageTokens: reportedTokens, trailingTokens: estimatedTokens };
}
