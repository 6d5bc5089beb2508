import type { UnitFacts } from "./recall-index.ts";
import type { UseWeights } from "./use-features.ts";
import { USE_FEATURE_NAMES, USE_FEATURES } from "./use-features.ts";
import { USE_WEIGHTS } from "./use-weights.ts";

/**
 * How often a unit is expected to be needed before the next cut, by a Poisson regression: the exponential of the weighted sum of what is
 * known of it. Only its ratio to another unit's says anything.
 */
export function expectedUse(facts: UnitFacts, weights: UseWeights = USE_WEIGHTS.weights): number {
  let sum = 0;
  for (const name of USE_FEATURE_NAMES) sum += weights[name] * USE_FEATURES[name](facts);
  return Math.exp(sum);
}
