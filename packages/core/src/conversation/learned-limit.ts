import { BELIEVED_MS, type LearnedRequestLimits } from "../session/session-state.ts";
import type { Rejection } from "./outcome.ts";

/**
 * The limit of one model's window in one conversation, learned from answers and rejections. Sizes are the tokens that were expected of a request
 * before it was sent, since the next request is judged by the same estimate.
 */
export interface LearnedLimit {
  /** The limit that the provider named; `null` if it named none. */
  readonly statedTokens: number | null;
  /** A size that was refused although it was within every limit that is known; `null` for none. */
  readonly refusedTokens: number | null;
  /** The largest size that was answered. */
  readonly answeredTokens: number;
  /** False if `refusedTokens` is only an estimate, until the reported usage of the next answer corrects it. */
  readonly isMeasured: boolean;
  /** When the newest refusal came that taught something; `null` if none did, or the clock is not known. */
  readonly refusedAtMs: number | null;
  /** Limits in other units than tokens, learned from refusals. */
  readonly request: LearnedRequestLimits;
}

/** The learned limit before any request was sent: no limit named, nothing refused, nothing answered. */
export const NOTHING_LEARNED: LearnedLimit = {
  statedTokens: null,
  refusedTokens: null,
  answeredTokens: 0,
  isMeasured: true,
  refusedAtMs: null,
  request: {},
};

/** Drops limits that were learned more than a day before `nowMs`; the largest answered size stays. Drops none if either time is `null`. */
export function believedAt(learned: LearnedLimit, nowMs: number | null): LearnedLimit {
  const { refusedAtMs, answeredTokens, request } = learned;
  if (nowMs === null || refusedAtMs === null || nowMs - refusedAtMs <= BELIEVED_MS) return learned;
  return { ...NOTHING_LEARNED, answeredTokens, request };
}

/**
 * Returns the learned limit after one more request was rejected. Its size is the provider's count, or else the expected tokens. A named limit below a size that was answered
 * before is ignored. If a request of that size or more was answered before, one refusal teaches nothing; the next one does.
 */
export function afterRejection(
  learned: LearnedLimit,
  { limitTokens, promptTokens }: Pick<Rejection, "limitTokens" | "promptTokens">,
  request: { readonly expectedTokens: number; readonly reserveTokens: number; readonly nowMs?: number | null },
): LearnedLimit {
  const refusedAtMs = request.nowMs ?? null;
  const isStated = limitTokens !== null && limitTokens > learned.answeredTokens;
  const statedTokens = isStated ? Math.min(limitTokens, learned.statedTokens ?? limitTokens) : learned.statedTokens;
  const sizeTokens = promptTokens ?? request.expectedTokens;
  // Beyond the limit that is known the size says nothing new.
  if (statedTokens !== null && sizeTokens + request.reserveTokens > statedTokens)
    return { ...learned, statedTokens, refusedAtMs };
  if (learned.answeredTokens >= sizeTokens) return { ...learned, answeredTokens: 0 };
  return { ...learned, statedTokens, refusedTokens: sizeTokens, isMeasured: promptTokens !== null, refusedAtMs };
}

/** Returns the learned limit after one more answer. `nowTokens` is the estimate of the same request, made anew with the usage that the answer reported. */
export function afterAnswer(
  learned: LearnedLimit,
  { expectedTokens, nowTokens }: { readonly expectedTokens: number; readonly nowTokens: number },
): LearnedLimit {
  const ratio = learned.isMeasured || expectedTokens <= 0 ? 1 : nowTokens / expectedTokens;
  const refusedTokens = learned.refusedTokens === null ? null : learned.refusedTokens * ratio;
  const answeredTokens = Math.max(learned.answeredTokens * ratio, nowTokens);
  const isRefuted = refusedTokens !== null && answeredTokens >= refusedTokens;
  const isStatedRefuted = learned.statedTokens !== null && answeredTokens > learned.statedTokens;
  return {
    ...learned,
    statedTokens: isStatedRefuted ? null : learned.statedTokens,
    refusedTokens: isRefuted ? null : refusedTokens,
    answeredTokens,
    isMeasured: true,
  };
}

/** Share of a refused size below which the way to it is not worth another refusal; chosen: what the engine takes for new. */
const CLOSE_RATIO = 0.02;

/** Share of a refused size that is tried if nothing was answered yet: the first that a recovery tries, too; chosen. */
const FIRST_RATIO = 0.8;

/**
 * Returns the window to plan the next request with, in tokens, its reply included: the limit that the provider named, or less if a size within it was refused. That
 * is 80 % of the refused size, or halfway between it and the largest answered one, until they are within 2 %. `null` if nothing was refused.
 */
export function learnedWindowTokens(
  { statedTokens, refusedTokens, answeredTokens }: LearnedLimit,
  reserveTokens: number,
): number | null {
  if (refusedTokens === null) return statedTokens;
  const roomTokens = Math.floor(roomBelow(refusedTokens, answeredTokens));
  return Math.min(statedTokens ?? Number.POSITIVE_INFINITY, roomTokens + reserveTokens);
}

function roomBelow(refusedTokens: number, answeredTokens: number): number {
  if (answeredTokens === 0) return refusedTokens * FIRST_RATIO;
  const gapTokens = refusedTokens - answeredTokens;
  return gapTokens < refusedTokens * CLOSE_RATIO ? answeredTokens : answeredTokens + gapTokens / 2;
}

/** A table of learned limits by conversation and model. Those of a conversation are dropped with its object. */
export interface LearnedLimits {
  of(conversation: WeakKey, modelId: string | undefined): LearnedLimit;
  /** Limits of a model that were learned up to this time (milliseconds since 1970) are ignored, in logs too; `null` or left out for none. */
  forgottenMs?(modelId: string | undefined): number | null;
  learn(conversation: WeakKey, modelId: string | undefined, next: (learned: LearnedLimit) => LearnedLimit): void;
}

/** Makes an empty table of limits that refusals teach, by conversation and model. It is in memory alone. */
export function createLearnedLimits(): LearnedLimits {
  const known = new WeakMap<WeakKey, Map<string, LearnedLimit>>();
  const of: LearnedLimits["of"] = (conversation, modelId = "") => known.get(conversation)?.get(modelId) ?? NOTHING_LEARNED;
  return {
    of,
    learn: (conversation, modelId = "", next) => {
      const byModel = known.get(conversation) ?? new Map<string, LearnedLimit>();
      known.set(conversation, byModel.set(modelId, next(of(conversation, modelId))));
    },
  };
}
