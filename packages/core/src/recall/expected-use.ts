import type { UnitFacts } from "./recall-index.ts";
import { USE_FEATURE_NAMES, USE_FEATURES } from "./use-features.ts";
import { USE_WEIGHTS } from "./use-weights.ts";

/** What is known of a unit as numbers, each with its weight, in the order in which they are added up. */
const TERMS = USE_FEATURE_NAMES.map((name) => ({ weight: USE_WEIGHTS.weights[name], feature: USE_FEATURES[name] }));

/**
 * How often a unit is expected to be needed before the next cut, by a Poisson regression: the exponential of the weighted sum of what is
 * known of it. Only its ratio to another unit's says anything.
 */
export function expectedUse(facts: UnitFacts): number {
  let sum = 0;
  for (const { weight, feature } of TERMS) sum += weight * feature(facts);
  return Math.exp(sum);
}
