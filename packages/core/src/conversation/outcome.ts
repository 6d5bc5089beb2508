import type { FitInput } from "../engine/fit-input.ts";
import { isPlimsollError } from "../error.ts";
import { isRecord, type JsonValue } from "../json.ts";
import type { StopReason } from "../message/message.ts";
import type { RequestUnit } from "../message/request-size.ts";

/**
 * The outcome of a request, on every wire: decoded once from status, codes and sizes, which texts only sharpen. It travels in the `outcome` of a failure's
 * details; {@link remedyOf} says what follows.
 *
 * - `window-ended`: an answer that the window cut off
 * - `too-large`: more than is taken, of tokens, of tokens a minute or of another unit; `limit` is what the vendor names of that unit
 * - `reply-too-large`: a longer reply was asked for than the model gives; `limit` is the longest, if the vendor names it
 * - `not-entitled`: long context that the account does not have
 * - `invalid`: a parameter that is named
 * - `unknown`: words that say none of this, or an answer that says nothing
 */
export type RequestOutcome =
  | { readonly kind: "answered" | "window-ended" | "not-entitled" | "reasoning-refused" | "unknown" }
  | { readonly kind: "too-large"; readonly of: "tokens" | "minute" | RequestUnit; readonly limit?: number | null }
  | { readonly kind: "reply-too-large"; readonly limit: number | null }
  | { readonly kind: "auth" | "quota" | "rate" | "overload" | "invalid" };

/**
 * The remedy for an outcome: less is sent, as often as the policy allows; less is tried once, if nothing as large was answered; reasoning leaves; a
 * shorter reply is asked for; or it is the caller's.
 */
export type Remedy = "shrink" | "try-less" | "leave-reasoning" | "lower-reply" | "none";

const REMEDIES: { readonly [kind in RequestOutcome["kind"]]: Remedy } = {
  "too-large": "shrink",
  "not-entitled": "shrink",
  "window-ended": "shrink",
  unknown: "try-less",
  "reasoning-refused": "leave-reasoning",
  "reply-too-large": "lower-reply",
  answered: "none",
  auth: "none",
  quota: "none",
  rate: "none",
  overload: "none",
  invalid: "none",
};

/** The one place that decides what follows a request. */
export function remedyOf({ kind }: RequestOutcome): Remedy {
  return REMEDIES[kind];
}

/** A request that was refused, or whose answer the window cut off. The figures are the provider's, in tokens; `null` if it gave none. */
export interface Rejection {
  readonly outcome: RequestOutcome;
  readonly limitTokens: number | null;
  /** Tokens of the prompt and of the longest reply together. */
  readonly requestedTokens: number | null;
  readonly promptTokens: number | null;
}

/** The outcome of a request that was refused because its prompt has too many tokens. */
export const TOO_MANY_TOKENS: RequestOutcome = { kind: "too-large", of: "tokens" };

/** Reads from a model client's error how the provider refused the request; `null` for an error without a provider's answer. */
export function rejectionIn(error: unknown): Rejection | null {
  if (!isPlimsollError(error)) return null;
  const { code, details } = error;
  const outcome = isOutcome(details.outcome) ? details.outcome : code === "context-overflow" ? TOO_MANY_TOKENS : null;
  if (outcome === null) return null;
  const numberAt = (key: string): number | null => {
    const value = details[key];
    return typeof value === "number" ? value : null;
  };
  // A limit of bytes, or of tokens a minute, is none of the window.
  const isOther = outcome.kind === "too-large" && outcome.of !== "tokens";
  const limitTokens = isOther ? null : numberAt("limitTokens");
  return { outcome, limitTokens, requestedTokens: numberAt("requestedTokens"), promptTokens: numberAt("promptTokens") };
}

/**
 * Adds a count of the prompt to a rejection without one. If the provider counted prompt and reply together, and even that is less than was expected of the prompt,
 * its count becomes the prompt's: a refusal outweighs the estimate.
 */
export function withCount<R extends Rejection>(rejection: R, expectedTokens: number): R {
  const { outcome, promptTokens, requestedTokens } = rejection;
  const isOfTokens = outcome.kind === "too-large" && outcome.of === "tokens";
  if (!isOfTokens || promptTokens !== null || requestedTokens === null || requestedTokens >= expectedTokens) return rejection;
  return { ...rejection, promptTokens: requestedTokens };
}

function isOutcome(value: JsonValue | undefined): value is JsonValue & RequestOutcome {
  return isRecord(value) && typeof value.kind === "string" && Object.hasOwn(REMEDIES, value.kind);
}

/** Returns the field `refused` of a fit's input for a refusal in another unit than tokens; an empty object for any other outcome. */
export function refusedUnit(outcome: RequestOutcome | undefined): Pick<FitInput, "refused"> {
  if (outcome?.kind !== "too-large" || outcome.of === "tokens" || outcome.of === "minute") return {};
  return { refused: { unit: outcome.of, limit: outcome.limit ?? null } };
}

/** The facts of a reply that tell whether the window cut it off; counts are `null` if they were not reported. */
export interface EndedReply {
  readonly stopReason: StopReason | null;
  /** True if the vendor says that the full window cut it off. */
  readonly isWindowFull: boolean;
  /** Characters of its text; `null` if it has a tool call or another part than text, so that it is not empty whatever its text. */
  readonly saidChars: number | null;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
}

/** A reply that stopped below this share of what was asked for was not cut by that. Chosen. */
const CUT_REPLY_RATIO = 0.5;

/** Above this share of a window it may have ended a reply, above the other it did, whatever was asked for. Chosen. */
const FULL_WINDOW_RATIO = 0.5;
const ENDED_WINDOW_RATIO = 0.98;

/** A server's own limit leaves a reply more than this share of what was asked for: what stops sooner had no room, whatever the window is believed to be. Chosen. */
const FEW_RATIO = 1 / 16;
const FEW_TOKENS = 16;

/** Characters of a token, at the most: text of so many tokens was written, whatever the report says. Chosen. */
const MOST_CHARS_PER_TOKEN = 8;

/**
 * Decides whether the window ended a reply. It did if the vendor says so, or if the reply stopped far below the length that was asked for and said next to
 * nothing or filled much of the window. A reply that ended by itself and says nothing is `unknown`. All others are `answered`, also those cut by
 * their own `max_tokens`.
 */
export function outcomeOfReply(
  { stopReason, isWindowFull, saidChars, promptTokens, outputTokens }: EndedReply,
  { askedTokens, windowTokens }: { readonly askedTokens: number | null; readonly windowTokens: number | null },
): RequestOutcome {
  const isSilent = saidChars === 0;
  if (isWindowFull) return { kind: "window-ended" };
  if (stopReason === "end" && isSilent) return { kind: "unknown" };
  if (stopReason !== "length") return { kind: "answered" };
  const wroteTokens = Math.max(outputTokens ?? saidChars ?? 0, (saidChars ?? 0) / MOST_CHARS_PER_TOKEN);
  if (askedTokens !== null && wroteTokens >= askedTokens * CUT_REPLY_RATIO) return { kind: "answered" };
  const filledRatio = windowTokens === null ? 0 : ((promptTokens ?? 0) + wroteTokens) / windowTokens;
  const isFull = filledRatio >= (askedTokens === null ? ENDED_WINDOW_RATIO : FULL_WINDOW_RATIO);
  const saysLittle = saidChars !== null && wroteTokens <= Math.max(FEW_TOKENS, (askedTokens ?? 0) * FEW_RATIO);
  return { kind: isSilent || saysLittle || isFull ? "window-ended" : "answered" };
}
