import { defineAmountRule, type KeepRuleKind, type UnitFacts } from "../keep/keep-rule.ts";
import { USE_FEATURES } from "./use-features.ts";
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
  return Math.exp(TERMS.reduce((sum, { weight, feature }) => sum + weight * feature(facts), 0));
}

const WEIGHTS: Readonly<Record<string, number>> = USE_WEIGHTS.weights;
const TERMS = Object.entries(USE_FEATURES).map(([name, feature]) => ({ weight: WEIGHTS[name] ?? 0, feature }));
