import { type Budget, triggerTokens } from "../budget.ts";
import type { CompactionReason } from "../entry.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { FitInput, FitState, Sized } from "./fit-input.ts";

/** The goal of a compaction, only in tokens of messages. */
export interface Goal {
  /** The most expected tokens that fit with the overhead and the pending messages: above it a context is irreducible. */
  readonly budgetTokens: number;
  /** Steps run until the messages are this small: their upper bound fits then, too, or they are smaller by an overflow's demand. */
  readonly limitTokens: number;
  /** At this size the trigger would fire again at once: under one that waits until a cut pays, the budget; after a refusal, the limit. */
  readonly lineTokens: number;
  /** After a refusal: the largest size to send next, below the refused one, even if more is believed to fit; `null` before one. */
  readonly retryTokens: number | null;
}

interface GoalSizes {
  readonly tokensBefore: number;
  readonly overheadTokens: number;
  readonly pendingTokens: number;
}

/** Share of the refused size that each recovery may keep: the estimate has just been proved too low by an unknown factor; chosen. */
export const RECOVERY_RATIOS: readonly [number, number] = [0.8, 0.5];

/** The size of each further try after a refused one: smaller by as much as the first. Chosen. */
const LESS_RATIO = 0.8;

/** After a refusal without a known reason at least this share is kept. Chosen. */
const LEAST_RATIO = 0.25;

/**
 * How often a rejected request is compacted and sent again under a policy: as often as the policy says, at least once for each share that is tried,
 * and at last once more with only uncuttable parts. 0 for a policy that is off or wants no recovery; one without a fallback gets no more than it asks
 * for.
 */
export function recoveriesOf({ enabled, overflow, fallback }: Pick<EnginePolicy, "enabled" | "overflow" | "fallback">): number {
  const maximum = enabled ? overflow.maxRecoveries : 0;
  return maximum === 0 || fallback === null ? maximum : Math.max(maximum, RECOVERY_RATIOS.length) + 1;
}

/**
 * Returns the recovery after so many refusals in a row for no known reason: each takes the next share, and the one after the last share leaves uncuttable parts. `null`
 * after that, unless the person said something since.
 */
export function recoveryOfTry(
  policy: EnginePolicy,
  { tries, isSaid }: { readonly tries: number; readonly isSaid: boolean },
): number | null {
  const last = recoveriesOf(policy) - 1;
  if (last < 0 || (tries > RECOVERY_RATIOS.length + 1 && !isSaid)) return null;
  return tries <= RECOVERY_RATIOS.length ? Math.min(tries - 1, last) : last;
}

/** True for the last recovery: it needs no model and leaves only uncuttable parts. */
export function isForced(policy: EnginePolicy, reason: CompactionReason, { recovery = 0 }: FitInput): boolean {
  return policy.fallback !== null && reason === "overflow" && recovery >= recoveriesOf(policy) - 1;
}

/** The goal of a compaction. After an overflow the estimate cannot be trusted, so the context must also shrink by a share of itself. */
export function goalOf(
  state: Pick<FitState, "policy"> & Sized,
  { reason, budget, input }: { readonly reason: CompactionReason; readonly budget: Budget; readonly input: FitInput },
  sizes: GoalSizes,
): Goal {
  const { policy } = state;
  const otherTokens = sizes.overheadTokens + sizes.pendingTokens;
  const budgetTokens = budget.inputBudgetTokens - otherTokens;
  const fittingTokens = fittingTokensOf(state, budget, sizes);
  if (reason !== "overflow") {
    // An overhead that is believed to leave no room is no reason to keep nothing: as much goes as after a first refusal.
    const isRoom = fittingTokens > 0 || policy.fallback === null;
    const limitTokens = isRoom ? fittingTokens : Math.floor(sizes.tokensBefore * RECOVERY_RATIOS[0]);
    // The trigger's room is that of its gate, also if the messages fill less.
    const roomTokens = Math.max(0, budget.inputBudgetTokens - sizes.overheadTokens);
    const lineTokens = triggerTokens(policy.trigger, { ...budget, roomTokens }) - otherTokens;
    return { budgetTokens, limitTokens, lineTokens, retryTokens: null };
  }
  const lessTokens = ((input.refusedTokens ?? Number.POSITIVE_INFINITY) - otherTokens) * LESS_RATIO;
  // Steps after a forced one have to reach only this: a small share of the refused size, below the sizes tried in vain, that fits by its own measure.
  if (isForced(policy, reason, input)) {
    const limitTokens = Math.floor(Math.min(fittingTokens, sizes.tokensBefore * LEAST_RATIO, lessTokens));
    return { budgetTokens, limitTokens, lineTokens: 0, retryTokens: 0 };
  }
  const allowedTokens = allowedRoomTokens(budget, input, sizes);
  if (allowedTokens !== null) {
    // The estimate was too high if it leaves less room than the provider's count.
    const roomTokens = Math.max(budgetTokens, allowedTokens);
    return { budgetTokens: roomTokens, limitTokens: allowedTokens, lineTokens: allowedTokens, retryTokens: allowedTokens };
  }
  const retryTokens = Math.floor(Math.min(sizes.tokensBefore * retryRatioOf(state, input), Math.max(1, lessTokens)));
  const countedTokens = input.observedPromptTokens ?? 0;
  const isCountedMore = countedTokens > sizes.tokensBefore + otherTokens;
  // If the provider's count is right, its excess over the estimate is in every part of the request.
  const observedTokens = isCountedMore ? fittingIfCounted(budget, countedTokens, sizes) : Number.POSITIVE_INFINITY;
  // A refusal outweighs beliefs: an overhead that leaves no room at all was not the refused one.
  const believedTokens = Math.min(fittingTokens, observedTokens);
  const limitTokens = believedTokens > 0 ? Math.min(believedTokens, retryTokens) : retryTokens;
  return { budgetTokens, limitTokens, lineTokens: limitTokens, retryTokens };
}

/** The first recovery keeps half of the messages since the last answered call, and none of them after a refusal without a known reason, which is tried once. */
function retryRatioOf(
  { ledger: { estimatedTokens, estimatedAtLastCallTokens } }: Sized,
  { recovery = 0, observedLimitTokens = null, refusedTokens = null }: FitInput,
): number {
  const ratio = RECOVERY_RATIOS[recovery === 0 ? 0 : 1];
  if (observedLimitTokens !== null || recovery > 0 || estimatedAtLastCallTokens === null || estimatedTokens <= 0) return ratio;
  const answeredRatio = estimatedAtLastCallTokens / estimatedTokens;
  return Math.min(ratio, refusedTokens === null ? (1 + answeredRatio) / 2 : Math.max(LEAST_RATIO, answeredRatio));
}

/** Room for messages after a first refusal that names its limit and its count: the rest shrinks by exactly the excess. */
function allowedRoomTokens({ windowTokens, inputBudgetTokens }: Budget, input: FitInput, sizes: GoalSizes): number | null {
  const { observedLimitTokens, observedPromptTokens, observedRequestTokens, recovery = 0 } = input;
  const replyTokens = windowTokens - inputBudgetTokens;
  const countedTokens = observedPromptTokens ?? (observedRequestTokens ? observedRequestTokens - replyTokens : 0);
  if (!observedLimitTokens || recovery > 0 || countedTokens <= inputBudgetTokens) return null;
  const allowedTokens = fittingIfCounted({ inputBudgetTokens }, countedTokens, sizes);
  return allowedTokens > 0 ? allowedTokens : null;
}

/** Tokens of messages that fit, in the units of the estimate, if so many tokens were counted of the request. */
function fittingIfCounted(
  { inputBudgetTokens }: Pick<Budget, "inputBudgetTokens">,
  countedTokens: number,
  { tokensBefore, overheadTokens, pendingTokens }: GoalSizes,
): number {
  const otherTokens = overheadTokens + pendingTokens;
  return Math.floor((inputBudgetTokens * (tokensBefore + otherTokens)) / countedTokens) - otherTokens;
}

/** Rounding of the parts that a prediction is added up from, in tokens; only if the bound is above the expected size. */
const ROUNDING_TOKENS = 2;

/** The bound is a share of the overhead, too: where that fills the window it would leave nothing. Then half of the expected room is kept; chosen. */
export const LEAST_ROOM_RATIO = 0.5;

function fittingTokensOf(
  { setup: { estimator }, ledger }: Sized,
  { inputBudgetTokens }: Budget,
  { overheadTokens, pendingTokens }: GoalSizes,
): number {
  const ratio = estimator.upperRatioAfterCut(ledger);
  const budgetTokens = inputBudgetTokens - overheadTokens - pendingTokens;
  if (ratio <= 1) return budgetTokens;
  const fittingTokens = Math.floor((inputBudgetTokens - pendingTokens) / ratio) - overheadTokens - ROUNDING_TOKENS;
  return Math.max(fittingTokens, Math.floor(budgetTokens * LEAST_ROOM_RATIO));
}
