import { type Amount, type Budget, budgetOf, fires, limitsWithin, triggerTokens } from "../budget.ts";
import type { CompactionReason, Gate } from "../entry.ts";
import type { Message } from "../message/message.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Prediction } from "../tokens/estimator.ts";
import { wholeTokens } from "../tokens/measure.ts";
import type { Breaker, FitInput, FitOutcome, FitState, Sized } from "./fit-input.ts";
import { type WindowPart, windowParts } from "./window-parts.ts";
import { type CutPrice, cutPrice, isNewSize, maybePays, type PromptCache } from "./worth-cutting.ts";

/** The decision of a fit: it acts for a reason and within a budget, or leaves the context as it is, which is then its outcome. */
type WhyAct =
  | { readonly kind: "act"; readonly reason: CompactionReason; readonly budget: Budget; readonly price: CutPrice }
  | (FitOutcome & { readonly kind: "unchanged" });

/** The parts of the state that a gate reads. */
export type GateState = Sized &
  Pick<FitState, "policy" | "breaker" | "reportedAtMs" | "cache" | "overhead" | "prediction" | "writer">;

/**
 * Why the engine acts now, or that it does not. Reads the ledger's sums and the pending messages: never the view.
 *
 * @throws PlimsollError `bad-policy` if the window is not larger than the output reserve.
 */
export function whyAct(state: GateState, input: FitInput): WhyAct {
  if (!state.policy.enabled && input.now === undefined) return { kind: "unchanged", off: "disabled" };
  const limits = budgetFor(state.policy, input);
  if (limits === null) return { kind: "unchanged", off: "unknown-window" };
  const sizes = gateSizes(state, input);
  const budget = { ...limits, roomTokens: Math.max(0, limits.inputBudgetTokens - sizes.prediction.overheadTokens) };
  const reason = input.now?.reason ?? reasonToAct(state.policy, input.gate, budget, sizes);
  if (reason === null) return { kind: "unchanged", off: null };
  return { kind: "act", reason, budget, price: cutPrice(state.policy.trigger, budget, sizes) };
}

/** Sizes at a gate, by the policy's measure. */
export interface GateSizes extends Pick<Breaker, "isGoalMissed"> {
  readonly prediction: Prediction;
  /** Tokens of the message that is about to be sent. */
  readonly pendingTokens: number;
  /** Tokens that arrived since the last compaction or attempt; `null` if there was none. */
  readonly newTokens: number | null;
  /** Tokens that arrived since the last call; `null` before the first. */
  readonly sinceCallTokens: number | null;
  /** Tokens that a step adds, as measured so far. */
  readonly stepTokens: number;
  /** The bound on the size after a cut, as a multiple of the expected size. */
  readonly upperRatioAfterCut: number;
  /** Time since the request before; `null` if it is not known. */
  readonly pauseMs: number | null;
  readonly cache: () => PromptCache;
}

function gateSizes(state: GateState, { pending, nowMs }: FitInput): GateSizes {
  const { setup, breaker, ledger, prediction, reportedAtMs } = state;
  // At a switch the model before it says which messages are new.
  const { estimatedTokens, estimatedAtLastCallTokens, estimatedAtLastCutTokens, stepGrowthTokens, factor } =
    state.writer?.ledger ?? ledger;
  const newSince = (tokens: number | null = null) => (tokens === null ? null : (estimatedTokens - tokens) * factor);
  // Before two calls show the size of a step, the first one does.
  const stepTokens = stepGrowthTokens || estimatedTokens - (estimatedAtLastCallTokens ?? estimatedTokens);
  return {
    prediction,
    pendingTokens: expectedTokensOf(pending, state),
    newTokens: newSince(breaker.estimatedAtLastAttemptTokens ?? estimatedAtLastCutTokens),
    sinceCallTokens: newSince(estimatedAtLastCallTokens),
    stepTokens: stepTokens * factor,
    upperRatioAfterCut: setup.estimator.upperRatioAfterCut(ledger),
    isGoalMissed: breaker.isGoalMissed,
    pauseMs: nowMs === null || reportedAtMs === null ? null : nowMs - reportedAtMs,
    cache: state.cache,
  };
}

/**
 * Why the engine must act at this gate, or `null`. A refusal is a reason at once. A request that would not fit ignores the policy's gates, and its minimum of
 * new material unless the newest cut missed its goal, if the fallback acts at the budget. If cuts free little, a policy may wait for so many steps.
 */
export function reasonToAct(policy: EnginePolicy, gate: Gate, budget: Budget, sizes: GateSizes): CompactionReason | null {
  if (!policy.enabled) return null;
  if (gate === "on-overflow") return "overflow";
  const { fallback, afterPause, progress } = policy;
  const [{ inputBudgetTokens }, { expectedTokens, upperTokens }] = [budget, sizes.prediction];
  const oldTokens = expectedTokens - (sizes.newTokens ?? 0);
  const newTokens = sizes.newTokens ?? Number.POSITIVE_INFINITY;
  const isFilled = isWindowFilled(sizes.prediction, budget) || oldTokens >= triggerTokens(policy.trigger, budget);
  const minimumSteps = isFilled ? (progress.minimumSteps ?? 0) : 0;
  const usedTokens = expectedTokens + (policy.gates.countPending ? sizes.pendingTokens : 0);
  const shareTokens = (fallback?.minimumNewRatio ?? 0) * inputBudgetTokens;
  const minimumNewTokens = Math.max(progress.minimumNewTokens, shareTokens, minimumSteps * sizes.stepTokens);
  const isRipe = newTokens >= minimumNewTokens;
  // If the last attempt could not bring the upper bound under the budget, it counts again only after new messages; if no cut can, after enough of them.
  const isBoundInReach = minimumSteps === 0 || oldTokens * sizes.upperRatioAfterCut <= inputBudgetTokens;
  const mayReachBound = newTokens > 0 && (isRipe || isBoundInReach);
  const sendTokens = (mayReachBound ? upperTokens : expectedTokens) + sizes.pendingTokens;
  if (policy.gates.at.includes(gate) && isRipe) {
    if (policy.emergency !== null && fires(policy.emergency, usedTokens, budget)) return "emergency";
    if (fires(policy.trigger, usedTokens, budget)) {
      const price = cutPrice(policy.trigger, budget, sizes);
      const isNews = price.pays === 0 || price.isCold || isNewSize(expectedTokens, sizes.sinceCallTokens, minimumNewTokens);
      if (isNews && maybePays(sizes.prediction, price)) return "threshold";
    }
    if (afterPause !== null && sizes.pauseMs !== null && fires(afterPause, usedTokens, budget)) {
      const afterMs = afterPause.after === "cache-expiry" ? sizes.cache().lifeMs : afterPause.after;
      if (sizes.pauseMs >= afterMs) return "threshold";
    }
  }
  const mayActAtBudget = fallback?.actAtBudget === true && (isRipe || !sizes.isGoalMissed);
  return mayActAtBudget && sendTokens > inputBudgetTokens ? "over-budget" : null;
}

/** True from the line on by the expected size; false for an unknown window, and for a policy that does nothing. */
export function reaches(state: GateState, input: FitInput, atLeast: Amount): boolean {
  const budget = state.policy.enabled ? budgetFor(state.policy, input) : null;
  return budget !== null && fires({ atLeast }, state.prediction.expectedTokens, budget);
}

/** Names the parts that fill the window at a gate, and the budget that they exceed; `null` if cuts can make room, or nothing would be cut. */
export function windowFilledBy(
  { policy, setup: { estimator }, prediction, overhead }: GateState,
  input: FitInput,
): { readonly budgetTokens: number; readonly overheadTokens: number; readonly parts: readonly WindowPart[] } | null {
  const budget = policy.enabled ? budgetFor(policy, input) : null;
  if (budget === null || !isWindowFilled(prediction, budget)) return null;
  const parts = windowParts(overhead, estimator.measure, prediction.overheadTokens);
  return { budgetTokens: budget.inputBudgetTokens, overheadTokens: prediction.overheadTokens, parts };
}

/** The budget at this gate; a limit that the provider named counts if it is smaller. `null` for an unknown window without one that is assumed. */
export function budgetFor(policy: EnginePolicy, { model, observedLimitTokens = null }: FitInput): Budget | null {
  const contextWindowTokens =
    model.contextWindowTokens ?? (policy.unknownWindow === "off" ? null : policy.unknownWindow.tokens);
  return budgetOf(limitsWithin({ ...model, contextWindowTokens }, observedLimitTokens));
}

/** System text and tools of more than this share of the budget fill it; chosen: with less, a cut's gain depends on its kept messages. */
const FILLED_RATIO = 0.5;

function isWindowFilled({ overheadTokens }: Prediction, { inputBudgetTokens }: Budget): boolean {
  return overheadTokens > inputBudgetTokens * FILLED_RATIO;
}

/** Expected tokens of messages by the policy's estimator, rounded down once for all of them as its prediction does. */
export function expectedTokensOf(messages: readonly Message[], { setup: { estimator }, ledger }: Sized): number {
  return wholeTokens(messages.reduce((sum, message) => sum + estimator.messageTokens(message, ledger), 0));
}
