import type { Budget } from "../budget.ts";
import type { CompactionReason, Gate } from "../entry.ts";
import type { Policy } from "../policy/policy.ts";
import type { Prediction } from "../tokens/estimator.ts";
import { fires } from "../trigger.ts";

/** Sizes at a gate, by the policy's measure. */
export interface GateSizes {
  readonly prediction: Prediction;
  /** Tokens of the message that is about to be sent. */
  readonly pendingTokens: number;
  /** Tokens that arrived since the last compaction; `null` where there was none. */
  readonly newTokens: number | null;
  /** Time since the request before; `null` where it is not known. */
  readonly pauseMs: number | null;
}

/**
 * A threshold may not fire again before this share of the input budget has arrived since the last compaction (2 %: chosen
 * so that a kept part which is itself above the trigger costs at most some fifty compactions a window, not one a step).
 */
export const MINIMUM_NEW_RATIO = 0.02;

/**
 * Why the engine must act at this gate, or `null`. Only a request that would not fit ignores the policy's gates and the
 * minimum of new material.
 */
export function reasonToAct(policy: Policy, gate: Gate, budget: Budget, sizes: GateSizes): CompactionReason | null {
  if (!policy.enabled) return null;
  if (gate === "on-overflow") return "overflow";
  const { expectedTokens, upperTokens } = sizes.prediction;
  // A bound that the last attempt could not bring down asks again only when something is new.
  const isNew = sizes.newTokens === null || sizes.newTokens > 0;
  const sendTokens = (isNew ? upperTokens : expectedTokens) + sizes.pendingTokens;
  const overBudget = sendTokens > budget.inputBudgetTokens;
  const usedTokens = expectedTokens + (policy.gates.countPending ? sizes.pendingTokens : 0);
  const minimumNewTokens = Math.max(policy.progress.minimumNewTokens, MINIMUM_NEW_RATIO * budget.inputBudgetTokens);
  const isRipe = sizes.newTokens === null || sizes.newTokens >= minimumNewTokens;
  if (policy.gates.at.includes(gate) && isRipe) {
    if (policy.emergency !== null && fires(policy.emergency, usedTokens, budget)) return "emergency";
    if (fires(policy.trigger, usedTokens, budget)) return "threshold";
    const { afterPause } = policy;
    if (afterPause !== null && (sizes.pauseMs ?? 0) >= afterPause.pauseMs && fires(afterPause, usedTokens, budget))
      return "threshold";
  }
  return overBudget ? "over-budget" : null;
}
