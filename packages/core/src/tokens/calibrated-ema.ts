import type { MeasureSpec } from "./measure-spec.ts";

/**
 * A length heuristic times a factor learned from reported usage by an exponential moving average.
 * Effective tokens = floor(messages × factor) + overhead.
 */
export interface CalibratedEmaSpec {
  readonly kind: "calibrated-ema";
  readonly of: MeasureSpec;
  /** Share of the newest ratio in the new factor. */
  readonly alphaRatio: number;
  readonly minimumFactor: number;
  readonly maximumFactor: number;
}

/**
 * The factor after one more report: `clamp((1 − α) × factor + α × actual / estimated)`. A report or an estimate of zero
 * leaves it as it was.
 */
export function nextFactor(factor: number, actualTokens: number, estimatedTokens: number, spec: CalibratedEmaSpec): number {
  if (actualTokens <= 0 || estimatedTokens <= 0) return factor;
  const next = (1 - spec.alphaRatio) * factor + spec.alphaRatio * (actualTokens / estimatedTokens);
  return Math.min(spec.maximumFactor, Math.max(spec.minimumFactor, next));
}
