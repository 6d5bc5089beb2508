import type { ReturnRule, RuleLosses } from "./model-fit.ts";
import { everyRule } from "./model-fit.ts";

/** An error in tolerances, at most 1. */
export function lossOf(errorTokens: number, toleranceTokens: number): number {
  return Math.min(1, Math.abs(errorTokens) / toleranceTokens);
}

/** Share of the losses that a new one leaves; chosen, some seven replies. */
const KEPT_RATIO = 0.85;

/** The errors of the rules that one more reply can judge: how far each was from the tokens that came back, against those that may be. */
export interface RuleErrors {
  readonly rules: readonly ReturnRule[];
  readonly errors: RuleLosses;
  readonly toleranceTokens: number;
}

/** The losses after one more reply: each rule's error, in tolerances, compared with the best one's. Of other rules it says nothing. */
export function nextLosses(losses: RuleLosses, { rules, errors, toleranceTokens }: RuleErrors): RuleLosses {
  const seen = everyRule(seenLoss, { errors, toleranceTokens });
  let least = Number.POSITIVE_INFINITY;
  for (const rule of rules) least = Math.min(least, seen[rule]);
  return everyRule(lossAfter, { losses, rules, seen, least });
}

function seenLoss(rule: ReturnRule, { errors, toleranceTokens }: Omit<RuleErrors, "rules">): number {
  return lossOf(errors[rule], toleranceTokens);
}

function lossAfter(
  rule: ReturnRule,
  {
    losses,
    rules,
    seen,
    least,
  }: Pick<RuleErrors, "rules"> & { readonly losses: RuleLosses; readonly seen: RuleLosses; readonly least: number },
): number {
  return rules.includes(rule) ? KEPT_RATIO * losses[rule] + (seen[rule] - least) / 2 : losses[rule];
}
