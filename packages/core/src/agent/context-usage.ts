import { budgetOf, triggerTokens } from "../budget.ts";
import type { ModelLimits } from "../entry.ts";
import type { Policy } from "../policy/policy.ts";
import type { Prediction } from "../tokens/estimator.ts";

/** How full the context is. Token figures are by the estimator that `estimator` names; `null` if the window is not known. */
export interface ContextUsage {
  readonly estimator: string;
  /** Expected tokens of the next request. */
  readonly usedTokens: number;
  /** The part of `usedTokens` that the provider reported with its last usage; 0 before the first report and after a compaction. */
  readonly usageTokens: number;
  /** The part that was estimated for what came after that report. */
  readonly trailingTokens: number;
  /** A size that it is not expected to exceed. */
  readonly upperTokens: number;
  /** The part of `usedTokens` that is system, tools and dynamic context. */
  readonly overheadTokens: number;
  readonly windowTokens: number | null;
  readonly inputBudgetTokens: number | null;
  /** Input budget less what is used; below zero if the context is over it. */
  readonly headroomTokens: number | null;
  /** Tokens at which the policy compacts; `null` also if the policy is off. */
  readonly triggerTokens: number | null;
  readonly messages: number;
}

/** The state that a usage is read off. */
export interface ContextUsageInput {
  readonly prediction: Prediction;
  readonly limits: ModelLimits;
  readonly policy: Policy;
  readonly messages: number;
}

/** The usage of a context as the engine sees it: an unknown window counts as the policy says. */
export function contextUsage({ prediction, limits, policy, messages }: ContextUsageInput): ContextUsage {
  const assumedTokens = policy.unknownWindow === "off" ? null : policy.unknownWindow.tokens;
  const budget = budgetOf({ ...limits, contextWindowTokens: limits.contextWindowTokens ?? assumedTokens });
  const usedTokens = prediction.expectedTokens;
  return {
    estimator: prediction.basis,
    usedTokens,
    usageTokens: prediction.reportedTokens,
    trailingTokens: prediction.estimatedTokens,
    upperTokens: prediction.upperTokens,
    overheadTokens: prediction.overheadTokens,
    windowTokens: budget?.windowTokens ?? null,
    inputBudgetTokens: budget?.inputBudgetTokens ?? null,
    headroomTokens: budget === null ? null : budget.inputBudgetTokens - usedTokens,
    triggerTokens: budget === null || !policy.enabled ? null : triggerTokens(policy.trigger, budget),
    messages,
  };
}
