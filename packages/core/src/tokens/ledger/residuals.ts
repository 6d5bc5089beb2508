/** Where a prediction stands: each regime has errors of its own kind. */
export type Regime = "anchored" | "after-cut" | "after-switch" | "after-surge" | "first-call";

/** The largest late under-estimate of each regime, as a share of what was expected; it fades call by call. */
export type Residuals = { readonly [regime in Regime]: number };

/**
 * What an under-estimate is taken for before a regime has shown its own: anchored 0.15 %, after a surge 2 %; after a cut and a switch 8 % and
 * 10 %, a first call 15 %, what the worst of the recorded sessions with everything in view had, rounded up.
 */
export const ASSUMED_RESIDUALS: Residuals = {
  anchored: 0.0015,
  "after-cut": 0.08,
  "after-switch": 0.1,
  "after-surge": 0.02,
  "first-call": 0.15,
};

/** Share of a peak that the next report leaves: half of it is gone after some thirty calls; chosen. */
const KEPT_RATIO = 0.977;

/** An under-estimate beyond this share is an event that nothing announced, not a size of the error; chosen. */
const LARGEST_RATIO = 0.05;

/** The residuals after one more report. */
export function afterReport(
  residuals: Residuals,
  regime: Regime,
  { expectedTokens, promptTokens }: { expectedTokens: number; promptTokens: number },
): Residuals {
  if (expectedTokens <= 0) return residuals;
  const largestRatio = Math.max(LARGEST_RATIO, ASSUMED_RESIDUALS[regime]);
  const underRatio = Math.min(largestRatio, Math.max(0, promptTokens / expectedTokens - 1));
  const assumed = ASSUMED_RESIDUALS[regime];
  const faded = assumed + KEPT_RATIO * (residuals[regime] - assumed);
  return { ...residuals, [regime]: Math.max(faded, underRatio) };
}
