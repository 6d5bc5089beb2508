import type { Budget } from "../budget.ts";
import { budgetOf } from "../budget.ts";
import type { CompactionReason } from "../entry.ts";
import type { Policy } from "../policy/policy.ts";
import type { FitInput, FitOutcome, FitState } from "./fit-input.ts";
import { expectedTokensOf } from "./measure-view.ts";
import { reasonToAct } from "./situation.ts";

/** What a fit does: it acts for a reason and within a budget, or leaves the context as it is, which is then its outcome. */
export type WhyAct =
  | { readonly kind: "act"; readonly reason: CompactionReason; readonly budget: Budget }
  | (FitOutcome & { readonly kind: "unchanged" });

/**
 * Why the engine acts now, or that it does not. Reads the ledger's sums and what is pending: never the view.
 *
 * @throws PlimsollError `bad-policy` where the window is not larger than the output reserve.
 */
export function whyAct(state: FitState, input: FitInput): WhyAct {
  if (!state.policy.enabled && input.now === undefined) return { kind: "unchanged", off: "disabled" };
  const budget = budgetFor(state.policy, input);
  if (budget === null) return { kind: "unchanged", off: "unknown-window" };
  if (input.now !== undefined) return { kind: "act", reason: input.now.reason, budget };
  const reason = reasonToAct(state.policy, input.gate, budget, {
    prediction: state.estimator.predict(state.ledger, state.overhead),
    pendingTokens: expectedTokensOf(input.pending, state),
    newTokens: state.newTokens,
    pauseMs: input.nowMs === null || state.reportedAtMs === null ? null : input.nowMs - state.reportedAtMs,
  });
  return reason === null ? { kind: "unchanged", off: null } : { kind: "act", reason, budget };
}

/** The budget at this gate; a limit that the provider named counts where it is smaller. */
function budgetFor(policy: Policy, input: FitInput): Budget | null {
  const knownTokens = input.model.contextWindowTokens ?? (policy.unknownWindow === "off" ? null : policy.unknownWindow.tokens);
  const observedTokens = input.observedLimitTokens ?? null;
  const windowTokens = knownTokens === null ? observedTokens : Math.min(knownTokens, observedTokens ?? knownTokens);
  return budgetOf({
    contextWindowTokens: windowTokens,
    maxOutputTokens: reserveWithin(input.model.maxOutputTokens, observedTokens),
  });
}

/** A limit that a provider named may be no larger than the reserve that was planned: then half of it is left for the prompt. */
function reserveWithin(maxOutputTokens: number | null, observedTokens: number | null): number | null {
  if (maxOutputTokens === null || observedTokens === null || maxOutputTokens < observedTokens) return maxOutputTokens;
  return Math.floor(observedTokens / 2);
}
