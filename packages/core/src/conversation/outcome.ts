import type { StopReason } from "../message/message.ts";

/**
 * What came of a request, on every wire: decoded once from status, codes and sizes, which texts only sharpen. {@link remedyOf} says what follows.
 *
 * - `window-ended`: an answer that the window cut off, or that is empty because of it
 * - `too-large`: more than is taken, of tokens, bytes, images, documents, or of tokens a minute
 * - `not-entitled`: long context that the account does not have
 * - `invalid`: a parameter that is named
 * - `unknown`: words that say none of this, or none at all; `words` is their hash, since a server may quote the request
 */
export type RequestOutcome =
  | { readonly kind: "answered" | "window-ended" | "not-entitled" | "reasoning-refused" }
  | { readonly kind: "too-large"; readonly of: "tokens" | "bytes" | "images" | "documents" | "minute" }
  | { readonly kind: "auth" | "quota" | "rate" | "overload" | "invalid" }
  | { readonly kind: "unknown"; readonly words: string };

/**
 * What is done about an outcome: less is sent, as often as the policy allows; less is tried once, if nothing as large was answered; reasoning leaves; or it is the
 * caller's.
 */
export type Remedy = "shrink" | "try-less" | "leave-reasoning" | "none";

/** The one place that decides what follows a request. */
export function remedyOf(outcome: RequestOutcome): Remedy {
  switch (outcome.kind) {
    case "too-large":
    case "not-entitled":
    case "window-ended":
      return "shrink";
    case "unknown":
      return "try-less";
    case "reasoning-refused":
      return "leave-reasoning";
    case "answered":
    case "auth":
    case "quota":
    case "rate":
    case "overload":
    case "invalid":
      return "none";
    default:
      return outcome satisfies never;
  }
}

/** A reply as far as it tells whether it was cut off. */
export interface EndedReply {
  readonly stopReason: StopReason | null;
  /** True if the vendor itself says that the window ended it. */
  readonly isWindowFull: boolean;
  /** True if it says nothing and calls nothing. */
  readonly isEmpty: boolean;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
}

/** A reply that stopped below this share of what was asked for was not cut by that; above this share of the window it may have been cut by the window. Chosen. */
const CUT_REPLY_RATIO = 0.5;
const FULL_WINDOW_RATIO = 0.5;

/**
 * True for a reply that the window ended: the vendor says so, or it stopped for its length far below what was asked for, or came empty for its length, while prompt
 * and reply fill much of the window. One that its own `max_tokens` cut is none.
 */
export function isEndedByWindow(
  { stopReason, isWindowFull, isEmpty, promptTokens, outputTokens }: EndedReply,
  { askedTokens, windowTokens }: { readonly askedTokens: number | null; readonly windowTokens: number | null },
): boolean {
  if (isWindowFull) return true;
  if (stopReason !== "length") return false;
  const usedTokens = (promptTokens ?? 0) + (outputTokens ?? 0);
  if (windowTokens !== null && promptTokens !== null && usedTokens < windowTokens * FULL_WINDOW_RATIO) return false;
  const isOwnCut = outputTokens !== null && askedTokens !== null && outputTokens >= askedTokens * CUT_REPLY_RATIO;
  return !isOwnCut && (isEmpty || (outputTokens !== null && askedTokens !== null));
}
