import { type Amount, type Budget, budgetOf, fires, limitsWithin, triggerTokens } from "../budget.ts";
import type { CompactionReason, Gate } from "../entry.ts";
import type { Message } from "../message/message.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Prediction } from "../tokens/estimator.ts";
import { wholeTokens } from "../tokens/measure.ts";
import type { FitInput, FitOutcome, FitState } from "./fit-input.ts";
import { type WindowPart, windowParts } from "./window-parts.ts";

/** The decision of a fit: it acts for a reason and within a budget, or leaves the context as it is, which is then its outcome. */
type WhyAct =
  | { readonly kind: "act"; readonly reason: CompactionReason; readonly budget: Budget }
  | (FitOutcome & { readonly kind: "unchanged" });

/** The parts of the state that a gate reads. */
export type GateState = Pick<
  FitState,
  "policy" | "estimator" | "ledger" | "overhead" | "newTokens" | "stepTokens" | "isGoalMissed" | "reportedAtMs"
>;

/**
 * Why the engine acts now, or that it does not. Reads the ledger's sums and what is pending: never the view.
 *
 * @throws PlimsollError `bad-policy` if the window is not larger than the output reserve.
 */
export function whyAct(state: GateState, input: FitInput): WhyAct {
  if (!state.policy.enabled && input.now === undefined) return { kind: "unchanged", off: "disabled" };
  const budget = budgetFor(state.policy, input);
  if (budget === null) return { kind: "unchanged", off: "unknown-window" };
  if (input.now !== undefined) return { kind: "act", reason: input.now.reason, budget };
  const reason = reasonToAct(state.policy, input.gate, budget, {
    ...state,
    prediction: state.estimator.predict(state.ledger, state.overhead),
    pendingTokens: expectedTokensOf(input.pending, state),
    upperRatioAfterCut: state.estimator.upperRatioAfterCut(state.ledger),
    pauseMs: input.nowMs === null || state.reportedAtMs === null ? null : input.nowMs - state.reportedAtMs,
  });
  return reason === null ? { kind: "unchanged", off: null } : { kind: "act", reason, budget };
}

/** Sizes at a gate, by the policy's measure. */
export interface GateSizes extends Pick<GateState, "newTokens" | "stepTokens" | "isGoalMissed"> {
  readonly prediction: Prediction;
  /** Tokens of the message that is about to be sent. */
  readonly pendingTokens: number;
  /** The bound on what a cut leaves, as a multiple of what is expected of it. */
  readonly upperRatioAfterCut: number;
  /** Time since the request before; `null` if it is not known. */
  readonly pauseMs: number | null;
}

/**
 * Why the engine must act at this gate, or `null`. Only a request that would not fit ignores the policy's gates and the
 * minimum of new material, and only under a policy whose fallback acts at the budget. Where what no cut takes fills the window, each cut buys few steps: a
 * policy that names its steps waits until as many have brought something.
 */
export function reasonToAct(policy: EnginePolicy, gate: Gate, budget: Budget, sizes: GateSizes): CompactionReason | null {
  if (!policy.enabled) return null;
  if (gate === "on-overflow") return "overflow";
  const { fallback } = policy;
  const { expectedTokens, upperTokens } = sizes.prediction;
  // What the newest attempt left.
  const leftTokens = expectedTokens - (sizes.newTokens ?? 0);
  const isFilled = isWindowFilled(sizes.prediction, budget) || fires(policy.trigger, leftTokens, budget);
  const minimumSteps = isFilled ? (policy.progress.minimumSteps ?? 0) : 0;
  const usedTokens = expectedTokens + (policy.gates.countPending ? sizes.pendingTokens : 0);
  const minimumNewTokens = Math.max(
    policy.progress.minimumNewTokens,
    (fallback?.minimumNewRatio ?? 0) * budget.inputBudgetTokens,
    minimumSteps * sizes.stepTokens,
  );
  const isRipe = sizes.newTokens === null || sizes.newTokens >= minimumNewTokens;
  // A bound that the last attempt could not bring down asks again only when something is new, or enough if no cut can.
  const isNew = sizes.newTokens === null || sizes.newTokens > 0;
  const isBoundInReach = minimumSteps === 0 || leftTokens * sizes.upperRatioAfterCut <= budget.inputBudgetTokens;
  const sendTokens = (isNew && (isRipe || isBoundInReach) ? upperTokens : expectedTokens) + sizes.pendingTokens;
  if (policy.gates.at.includes(gate) && isRipe) {
    if (policy.emergency !== null && fires(policy.emergency, usedTokens, budget)) return "emergency";
    if (fires(policy.trigger, usedTokens, budget)) return "threshold";
    const { afterPause } = policy;
    if (afterPause !== null && (sizes.pauseMs ?? 0) >= afterPause.pauseMs && fires(afterPause, usedTokens, budget))
      return "threshold";
  }
  const isWorthIt = !sizes.isGoalMissed || isRipe;
  return fallback?.actAtBudget === true && isWorthIt && sendTokens > budget.inputBudgetTokens ? "over-budget" : null;
}

/** True from the line on by what is expected; false for an unknown window, and for a policy that does nothing. */
export function reaches(state: GateState, input: FitInput, atLeast: Amount): boolean {
  const budget = state.policy.enabled ? budgetFor(state.policy, input) : null;
  return budget !== null && fires({ atLeast }, state.estimator.predict(state.ledger, state.overhead).expectedTokens, budget);
}

/** Names what fills the window at a gate, and the budget that it is held against; `null` if cuts can make room, or nothing would be cut. */
export function windowFilledBy(
  state: Pick<GateState, "policy" | "estimator" | "ledger" | "overhead">,
  input: FitInput,
): { readonly budgetTokens: number; readonly overheadTokens: number; readonly parts: readonly WindowPart[] } | null {
  const { estimator, ledger, overhead } = state;
  const budget = state.policy.enabled ? budgetFor(state.policy, input) : null;
  const prediction = estimator.predict(ledger, overhead);
  if (budget === null || !isWindowFilled(prediction, budget)) return null;
  const { overheadTokens } = prediction;
  const parts = windowParts(overhead, estimator.measure, overheadTokens);
  return { budgetTokens: budget.inputBudgetTokens, overheadTokens, parts };
}

/** The budget at this gate; a limit that the provider named counts if it is smaller. `null` for an unknown window without one that is assumed. */
export function budgetFor(policy: EnginePolicy, { model, observedLimitTokens = null }: FitInput): Budget | null {
  const contextWindowTokens =
    model.contextWindowTokens ?? (policy.unknownWindow === "off" ? null : policy.unknownWindow.tokens);
  return budgetOf(limitsWithin({ ...model, contextWindowTokens }, observedLimitTokens));
}

/** System text and tools of more than this share of the budget fill it; chosen: with less, what a cut buys is decided by what it keeps. */
const FILLED_RATIO = 0.5;

/** True if what no cut takes fills the window. */
function isWindowFilled({ overheadTokens }: Prediction, { inputBudgetTokens }: Budget): boolean {
  return overheadTokens > inputBudgetTokens * FILLED_RATIO;
}

/** Expected tokens of messages by the policy's estimator, rounded down once for all of them as its prediction does. */
export function expectedTokensOf(
  messages: readonly Message[],
  { estimator, ledger }: Pick<FitState, "estimator" | "ledger">,
): number {
  return wholeTokens(messages.reduce((sum, message) => sum + estimator.messageTokens(message, ledger), 0));
}

/** The goal of a compaction, in tokens of messages alone. */
export interface Goal {
  /** At most this much fits with the overhead and what is pending, by what is expected: above it a context is irreducible. */
  readonly budgetTokens: number;
  /** At most this much surely fits: its upper bound, too, is within the budget. What a cut aims at; never above `budgetTokens`. */
  readonly roomTokens: number;
  /** Steps run until the messages are this small: the room, or less after an overflow. Never above the room. */
  readonly limitTokens: number;
  /** At this size the trigger would fire again at once. */
  readonly lineTokens: number;
  /** After a refusal: what is sent next measures at most this much less than what was refused, whatever is believed to fit; `null` before one. */
  readonly retryTokens: number | null;
}

/** Share of what was refused that each recovery may keep: the estimate has just been proved too low by an unknown factor; chosen. */
export const RECOVERY_RATIOS: readonly number[] = [0.8, 0.5];

/**
 * How often a rejected request is compacted and sent again under a policy: as often as the policy says, at least once for each share
 * that is tried, and at last once more with nothing but what cannot be cut. 0 for a policy that is off or wants no recovery; one without a
 * fallback gets no more than it asks for.
 */
export function recoveriesOf({ enabled, overflow, fallback }: Pick<EnginePolicy, "enabled" | "overflow" | "fallback">): number {
  if (!enabled || overflow.maxRecoveries === 0 || fallback === null) return enabled ? overflow.maxRecoveries : 0;
  return Math.max(overflow.maxRecoveries, RECOVERY_RATIOS.length) + 1;
}

/** Which recovery follows so many refusals in a row for no known reason: each takes the next share, and the one after the last share leaves what cannot be cut. `null` after that, unless the person said something since. */
export function recoveryOfTry(
  policy: EnginePolicy,
  { tries, isSaid }: { readonly tries: number; readonly isSaid: boolean },
): number | null {
  const last = recoveriesOf(policy) - 1;
  if (last < 0 || (tries > RECOVERY_RATIOS.length + 1 && !isSaid)) return null;
  return tries <= RECOVERY_RATIOS.length ? Math.min(tries - 1, last) : last;
}

/** True for the last recovery: it needs no model and leaves only what cannot be cut. */
export function isForced(policy: EnginePolicy, reason: CompactionReason, { recovery = 0 }: FitInput): boolean {
  return policy.fallback !== null && reason === "overflow" && recovery >= recoveriesOf(policy) - 1;
}

/**
 * The goal of a compaction. After an overflow the estimate cannot be trusted, so the context must also shrink by a share of itself.
 */
export function goalOf(
  state: FitState,
  compaction: { readonly reason: CompactionReason; readonly budget: Budget; readonly input: FitInput },
  sizes: { readonly tokensBefore: number; readonly overheadTokens: number; readonly pendingTokens: number },
): Goal {
  const otherTokens = sizes.overheadTokens + sizes.pendingTokens;
  const budgetTokens = compaction.budget.inputBudgetTokens - otherTokens;
  // An overhead that is believed to leave no room is no reason to keep nothing: before a refusal as much goes as after a first one.
  const believedRoomTokens = fittingTokensOf(state, compaction.budget, sizes);
  const fittingTokens =
    believedRoomTokens > 0 || state.policy.fallback === null || compaction.reason === "overflow"
      ? believedRoomTokens
      : Math.floor(sizes.tokensBefore * (RECOVERY_RATIOS[0] ?? 1));
  const room = { budgetTokens, roomTokens: fittingTokens };
  const triedTokens = compaction.input.refusedTokens ?? Number.POSITIVE_INFINITY;
  const lessTokens = (triedTokens - otherTokens) * LESS_RATIO;
  // A small share of what was refused, less than what was tried in vain, and what fits by its own measure, is all that the steps after a forced one have to reach.
  if (isForced(state.policy, compaction.reason, compaction.input)) {
    const limitTokens = Math.floor(Math.min(fittingTokens, sizes.tokensBefore * LEAST_RATIO, lessTokens));
    return { limitTokens, lineTokens: 0, retryTokens: 0, ...room };
  }
  if (compaction.reason === "overflow") {
    const countedTokens = countedRoomTokens(compaction, sizes);
    if (countedTokens !== null) {
      const limitTokens = countedTokens;
      const most = { budgetTokens: Math.max(budgetTokens, limitTokens), roomTokens: Math.max(fittingTokens, limitTokens) };
      return { limitTokens, lineTokens: limitTokens, retryTokens: limitTokens, ...most };
    }
    const ratio = retryRatioOf(state, compaction.input);
    const observedTokens = observedRoomTokens(compaction, sizes);
    const retryTokens = Math.floor(Math.min(sizes.tokensBefore * ratio, Math.max(1, lessTokens)));
    // A refusal outweighs what is believed: an overhead that leaves no room at all was not what was refused.
    const believedTokens = Math.min(fittingTokens, observedTokens);
    const shrunkTokens = believedTokens > 0 ? Math.min(believedTokens, retryTokens) : retryTokens;
    return { limitTokens: shrunkTokens, lineTokens: shrunkTokens, retryTokens, ...room };
  }
  const lineTokens = triggerTokens(state.policy.trigger, compaction.budget) - otherTokens;
  return { limitTokens: fittingTokens, lineTokens, retryTokens: null, ...room };
}

/** The size of each further try after a refused one: smaller by as much as the first. Chosen. */
const LESS_RATIO = 0.8;

/** After a refusal without a known reason at least this share is kept. Chosen. */
const LEAST_RATIO = 0.25;

/** The share of a refused request that the first recovery keeps: half of what came since the last answered call, as it may be tried again; none of that after a refusal without a known reason, which is tried once. */
function retryRatioOf(
  { ledger }: FitState,
  { recovery = 0, observedLimitTokens = null, refusedTokens = null }: FitInput,
): number {
  const ratio = RECOVERY_RATIOS[Math.min(recovery, RECOVERY_RATIOS.length - 1)] ?? 1;
  const { estimatedTokens, estimatedAtLastCallTokens } = ledger;
  if (observedLimitTokens !== null || recovery > 0 || estimatedAtLastCallTokens === null || estimatedTokens <= 0) return ratio;
  const answeredRatio = estimatedAtLastCallTokens / estimatedTokens;
  return Math.min(ratio, refusedTokens === null ? (1 + answeredRatio) / 2 : Math.max(LEAST_RATIO, answeredRatio));
}

/**
 * Room for messages after a first refusal that says what is allowed and what was counted, in the units of the estimate: the rest shrinks by the excess and no more. If the
 * reply is no part of what was counted, a little less than fits.
 */
function countedRoomTokens(
  { budget, input }: { readonly budget: Budget; readonly input: FitInput },
  { tokensBefore, overheadTokens, pendingTokens }: Parameters<typeof goalOf>[2],
): number | null {
  const { observedLimitTokens, observedPromptTokens, observedRequestTokens, recovery = 0 } = input;
  const { windowTokens, inputBudgetTokens } = budget;
  const countedTokens =
    observedPromptTokens ?? (observedRequestTokens ? observedRequestTokens - (windowTokens - inputBudgetTokens) : 0);
  if (!observedLimitTokens || recovery > 0 || countedTokens <= inputBudgetTokens) return null;
  const otherTokens = overheadTokens + pendingTokens;
  const roomTokens = Math.floor((inputBudgetTokens * (tokensBefore + otherTokens)) / countedTokens) - otherTokens;
  return roomTokens > 0 ? roomTokens : null;
}

/** Room for messages if the provider's count is right: what it counted above the estimate is in every part of the request. */
function observedRoomTokens(
  { budget, input }: { readonly budget: Budget; readonly input: FitInput },
  { tokensBefore, overheadTokens, pendingTokens }: Parameters<typeof goalOf>[2],
): number {
  const countedTokens = input.observedPromptTokens ?? 0;
  const expectedTokens = tokensBefore + overheadTokens + pendingTokens;
  if (countedTokens <= expectedTokens) return Number.POSITIVE_INFINITY;
  return Math.floor((budget.inputBudgetTokens * expectedTokens) / countedTokens) - overheadTokens - pendingTokens;
}

/** Rounding of the parts that a prediction is added up from, in tokens; only if the bound is above what is expected. */
const ROUNDING_TOKENS = 2;

/** The bound is a share of the overhead, too: where that fills the window it would leave nothing. Then half of what is expected to fit is kept; chosen. */
const LEAST_ROOM_RATIO = 0.5;

/** Returns the expected tokens of messages at which their upper bound still fits. */
function fittingTokensOf(
  { estimator, ledger }: FitState,
  { inputBudgetTokens }: Budget,
  { overheadTokens, pendingTokens }: { readonly overheadTokens: number; readonly pendingTokens: number },
): number {
  const ratio = estimator.upperRatioAfterCut(ledger);
  const budgetTokens = inputBudgetTokens - overheadTokens - pendingTokens;
  if (ratio <= 1) return budgetTokens;
  const fittingTokens = Math.floor((inputBudgetTokens - pendingTokens) / ratio) - overheadTokens - ROUNDING_TOKENS;
  return Math.max(fittingTokens, Math.floor(budgetTokens * LEAST_ROOM_RATIO));
}
