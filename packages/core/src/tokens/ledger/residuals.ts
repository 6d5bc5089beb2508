/** Where a prediction stands: each regime has errors of its own kind. */
export type Regime = "anchored" | "after-cut" | "after-switch" | "after-surge" | "first-call";

/** What the bound has learned from its own errors, by regime: how far prompts were above what was expected, as shares of it. */
export type Residuals = { readonly [regime in Regime]: RegimeResiduals };

/** The largest late under-estimate and their decayed mean, both relative; and how many there were. */
export interface RegimeResiduals {
  readonly calls: number;
  readonly peakRatio: number;
}

const NONE: RegimeResiduals = { calls: 0, peakRatio: 0 };

/** Nothing predicted yet. */
export const NO_RESIDUALS: Residuals = {
  anchored: NONE,
  "after-cut": NONE,
  "after-switch": NONE,
  "after-surge": NONE,
  "first-call": NONE,
};

/** The residuals after one more report. */
export function afterReport(
  residuals: Residuals,
  regime: Regime,
  _: { expectedTokens: number; promptTokens: number },
): Residuals {
  return { ...residuals, [regime]: residuals[regime] };
}
