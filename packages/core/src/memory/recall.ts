import { defineAmountRule, type KeepRuleKind, type UnitFacts } from "../keep/keep-rule.ts";
import { useFeatures } from "./use-features.ts";
import { USE_WEIGHTS } from "./use-weights.ts";

/**
 * Recalls passages of the whole log that the next steps are likely to need, chosen anew at each compaction: passages that earlier ones took are not
 * lost. A passage that was stated again later is left out. (The reading of a handle that the model names is `session/recall`.)
 */
export const RECALL: KeepRuleKind = defineAmountRule(
  "recall",
  (atMost) => ({ keeps: "units", atMost, worth: expectedUse }),
  "The most that stays, together with the files in hand.",
);

/**
 * How often a unit is expected to be needed before the next cut, by a Poisson regression: the exponential of the weighted sum of its features. Only
 * its ratio to another unit's says anything.
 */
export function expectedUse(facts: UnitFacts): number {
  const features: Readonly<Record<string, number>> = useFeatures(facts);
  let sum = 0;
  for (const [name, weight] of WEIGHTS) sum += weight * (features[name] ?? 0);
  return Math.exp(sum);
}

const WEIGHTS = Object.entries(USE_WEIGHTS.weights);
