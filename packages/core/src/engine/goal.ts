import { type Budget, resolveAmount, triggerTokens } from "../budget.ts";
import type { CompactionReason } from "../entry.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { FitInput, FitState } from "./fit-input.ts";

/** The goal of a compaction, in tokens of messages alone. */
export interface Goal {
  /** At most this much fits with the overhead and what is pending, by what is expected: above it a context is irreducible. */
  readonly budgetTokens: number;
  /** At most this much surely fits: its upper bound, too, is within the budget. What a cut aims at; never above `budgetTokens`. */
  readonly roomTokens: number;
  /** The fallback runs until the messages are this small: the room, or less after an overflow. Never above the room. */
  readonly limitTokens: number;
  /** The policy's strategies run until the messages are this small; never above `limitTokens`. */
  readonly targetTokens: number;
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
 * With a target, room is left for a number of steps at the growth measured so far, so that the trigger does not fire again at once.
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
    return { limitTokens, targetTokens: -1, lineTokens: 0, retryTokens: 0, ...room };
  }
  if (compaction.reason === "overflow") {
    const countedTokens = countedRoomTokens(compaction, sizes);
    if (countedTokens !== null) {
      const limitTokens = countedTokens;
      const most = { budgetTokens: Math.max(budgetTokens, limitTokens), roomTokens: Math.max(fittingTokens, limitTokens) };
      return { limitTokens, targetTokens: limitTokens, lineTokens: limitTokens, retryTokens: limitTokens, ...most };
    }
    const ratio = retryRatioOf(state, compaction.input);
    const observedTokens = observedRoomTokens(compaction, sizes);
    const retryTokens = Math.floor(Math.min(sizes.tokensBefore * ratio, Math.max(1, lessTokens)));
    // A refusal outweighs what is believed: an overhead that leaves no room at all was not what was refused.
    const believedTokens = Math.min(fittingTokens, observedTokens);
    const shrunkTokens = believedTokens > 0 ? Math.min(believedTokens, retryTokens) : retryTokens;
    return { limitTokens: shrunkTokens, targetTokens: shrunkTokens, lineTokens: shrunkTokens, retryTokens, ...room };
  }
  const target = state.policy.progress.target;
  const triggeringTokens = triggerTokens(state.policy.trigger, compaction.budget);
  const line = { limitTokens: fittingTokens, lineTokens: triggeringTokens - otherTokens, retryTokens: null, ...room };
  if (target === null) return { targetTokens: fittingTokens, ...line };
  const afterStepsTokens =
    triggeringTokens - target.steps * state.ledger.stepGrowthTokens * state.estimator.scaleRatio(state.ledger);
  const targetTokens = Math.max(0, Math.min(resolveAmount(target.atMost, compaction.budget), afterStepsTokens)) - otherTokens;
  return { targetTokens: Math.min(fittingTokens, targetTokens), ...line };
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
