import type { Budget, Trigger } from "../budget.ts";
import type { Prediction } from "../tokens/estimator.ts";

/** Prices of a model's prompts, in one currency a token, by its vendor's list. */
export interface PromptCosts {
  readonly read: number;
  readonly write: number;
  /** Of a write that lives for an hour. */
  readonly hourWrite: number;
  /** How long its vendor says that an unread cache lives, if a request asks for nothing else. */
  readonly cacheLifeMs: number;
}

/** The prices of a model by its id; `null` if they are unknown. */
export type ModelCosts = (modelId: string) => PromptCosts | null;

/** The prompt cache of a session's model, as it is used there. */
export interface PromptCache {
  /** Time after its last use at which a prompt is not cached any more. */
  readonly lifeMs: number;
  /** Price of a token that is written again over the price of one that is read. */
  readonly rewriteRatio: number;
}

/** The price of a cut at a gate. */
export interface CutPrice extends Pick<PromptCache, "rewriteRatio"> {
  /** How many times over it has to pay; 0 if the policy does not ask, or the window is full. */
  readonly pays: number;
  /** Tokens that a step adds, as measured so far. */
  readonly stepTokens: number;
  /** True if nothing is cached any more: all is written again, with the cut or without. */
  readonly isCold: boolean;
}

/**
 * Why a cut is not worth its price, and how far it is from it; `null` if it is worth it. Until the context has its old size again, each step reads less by the
 * freed tokens; once, the kept tokens are written and not read. The first has to pay for the second.
 */
export function whyNotWorth(
  { freedTokens, keptTokens }: Readonly<Record<"freedTokens" | "keptTokens", number>>,
  { pays, stepTokens, rewriteRatio, isCold }: CutPrice,
  minimumFreedRatio: number,
): string | null {
  const freed = `it would free ${Math.max(0, Math.floor(freedTokens))} tokens`;
  if (freedTokens <= 0 || freedTokens < minimumFreedRatio * keptTokens)
    return `${freed}, too few for the tokens that it rewrites`;
  if (isCold || stepTokens <= 0) return null;
  const boughtSteps = freedTokens / stepTokens;
  const wantedSteps = (pays * keptTokens * (rewriteRatio - 1)) / freedTokens;
  if (wantedSteps <= boughtSteps) return null;
  return `${freed} and buy ${Math.floor(boughtSteps)} steps; at this model's prices it takes ${Math.ceil(wantedSteps)}`;
}

/**
 * Before it is planned, a cut is expected to leave this share of the messages. Measured as the default's numbers are (policy/presets/plimsoll.ts), at real windows: 0.4 has 97.5
 * and 88.9, 0.5 98.7 and 94.4, 0.6 102.7 and 94.7.
 */
const EXPECTED_KEPT_RATIO = 0.5;

/** True if a cut of a context of this size is expected to pay as often as it has to: before it is planned. */
export function maybePays(
  { expectedTokens, overheadTokens }: Pick<Prediction, "expectedTokens" | "overheadTokens">,
  { pays, stepTokens, rewriteRatio, isCold }: CutPrice,
): boolean {
  const keptTokens = (expectedTokens - overheadTokens) * EXPECTED_KEPT_RATIO;
  const freedTokens = expectedTokens - overheadTokens - keptTokens;
  // A context that is not known to grow buys no steps that could pay.
  const isWorthIt = stepTokens > 0 && freedTokens * freedTokens >= pays * keptTokens * stepTokens * (rewriteRatio - 1);
  return pays === 0 || isCold || isWorthIt;
}

/** A window with less free is full: a cut that waits may come after a refusal, whose limit is known to a few parts in a hundred. Measured at 64k: 0.02 has a request too large, 0.1 76.7 and 51.8. */
const FULL_RATIO = 0.05;

interface PricedGate extends Pick<CutPrice, "stepTokens"> {
  readonly prediction: Pick<Prediction, "expectedTokens">;
  readonly pauseMs: number | null;
  readonly cache: () => PromptCache;
}

/** The price of a cut at a gate. It has to pay as often as the policy says in an empty window, less often in a fuller one, and not at all in a full one: it cannot be put off for long. */
export function cutPrice(
  { pays: often }: Trigger,
  { inputBudgetTokens }: Budget,
  { stepTokens, prediction, pauseMs, cache: cacheOf }: PricedGate,
): CutPrice {
  const cache = cacheOf();
  const freeRatio = Math.max(0, 1 - prediction.expectedTokens / inputBudgetTokens);
  const pays = often === undefined || freeRatio < FULL_RATIO ? 0 : 1 + (often - 1) * freeRatio;
  return { pays, stepTokens, rewriteRatio: cache.rewriteRatio, isCold: pauseMs !== null && pauseMs >= cache.lifeMs };
}

/**
 * The most that a cut of so many tokens may keep: so much that it pays within the steps that it buys, and frees a share of the tokens it rewrites. Less is
 * cheaper, and loses more. The equation is `freed² = kept × growth × (ratio − 1)` with `freed = size − kept`.
 */
export function mostWorthKeeping(
  sizeTokens: number,
  { stepTokens, rewriteRatio, isCold }: CutPrice,
  minimumFreedRatio: number,
): number {
  const byShare = sizeTokens / (1 + minimumFreedRatio);
  if (isCold) return byShare;
  const half = sizeTokens + (Math.max(0, stepTokens) * Math.max(0, rewriteRatio - 1)) / 2;
  return Math.min(byShare, half - Math.sqrt(half * half - sizeTokens * sizeTokens));
}

/**
 * True if a cut that may not pay is planned at this size: once for each so many new tokens. Only the log decides, so that a restart changes nothing. `sinceCallTokens` arrived since the
 * last call; `null` before the first.
 */
export function isNewSize(expectedTokens: number, sinceCallTokens: number | null, minimumNewTokens: number): boolean {
  const count = (tokens: number) => Math.floor(tokens / Math.max(1, minimumNewTokens));
  return sinceCallTokens === null || count(expectedTokens) > count(expectedTokens - sinceCallTokens);
}
