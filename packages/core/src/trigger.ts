import { type Amount, type Budget, resolveAmount } from "./budget.ts";

/** The size of the context at which a policy compacts: at or above an amount, or strictly above it. */
export type Trigger = { readonly atLeast: Amount } | { readonly above: Amount };

/** True if a context of `usedTokens` fires the trigger. */
export function fires(trigger: Trigger, usedTokens: number, budget: Budget): boolean {
  return "atLeast" in trigger
    ? usedTokens >= resolveAmount(trigger.atLeast, budget)
    : usedTokens > resolveAmount(trigger.above, budget);
}

/** Computes the size in tokens at which the trigger fires, for displays and charts. */
export function triggerTokens(trigger: Trigger, budget: Budget): number {
  return resolveAmount("atLeast" in trigger ? trigger.atLeast : trigger.above, budget);
}
