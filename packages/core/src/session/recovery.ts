import type { FitInput, UnknownRefusal } from "../engine/fit-input.ts";
import { recoveriesOf } from "../engine/goal.ts";
import { isPlimsollError } from "../error.ts";
import { isRecord, type JsonValue } from "../json.ts";
import type { StopReason } from "../message/message.ts";
import type { RequestUnit } from "../message/size.ts";
import type { EnginePolicy } from "../policy/policy.ts";

/**
 * The outcome of a request, on every wire: decoded once from status, codes and sizes, which texts only sharpen. It travels in the `outcome` of a failure's
 * details; {@link remedyOf} gives the remedy.
 *
 * - `window-ended`: an answer that the window cut off
 * - `too-large`: more than is taken, of tokens, of tokens a minute or of another unit; `limit` is the vendor's figure of that unit
 * - `reply-too-large`: a longer reply was asked for than the model gives; `limit` is the longest, if the vendor names it
 * - `not-entitled`: long context that the account does not have
 * - `overload`: a fault of the moment; `isUnsaid` if its words do not say so: where its repetitions failed, it may be about the size
 * - `invalid`: a parameter that is named; `isOfForm` as of `unknown`
 * - `reasoning-refused`: reasoning that the request holds is named
 * - `unknown`: words that say none of this, or an answer that says nothing; `isOfForm` if the form of the request may be the reason
 */
export type RequestOutcome =
  | { readonly kind: "answered" | "window-ended" | "not-entitled" | "reasoning-refused" }
  | { readonly kind: "unknown" | "invalid"; readonly isOfForm?: boolean }
  | { readonly kind: "too-large"; readonly of: "tokens" | "minute" | RequestUnit; readonly limit?: number | null }
  | { readonly kind: "reply-too-large"; readonly limit: number | null }
  | { readonly kind: "overload"; readonly isUnsaid?: boolean }
  | { readonly kind: "auth" | "quota" | "rate" };

/**
 * The remedy for an outcome: less is sent, as often as the policy allows; less is tried once, if nothing as large was answered, and before that the newest sealed
 * reasoning leaves where it may be the reason; reasoning leaves; a shorter reply is asked for; or it is the caller's.
 */
type Remedy = "shrink" | "try-less" | "leave-reasoning" | "lower-reply" | "none";

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

/** The one place that decides the step after a request. */
function remedyOf(outcome: RequestOutcome): Remedy {
  return outcome.kind === "overload" && outcome.isUnsaid === true ? "try-less" : REMEDIES[outcome.kind];
}

/** A request that was refused, or whose answer the window cut off. The figures are the provider's, in tokens; `null` if it gave none. */
export interface Rejection {
  readonly outcome: RequestOutcome;
  readonly limitTokens: number | null;
  /** Tokens of the prompt and of the longest reply together. */
  readonly requestedTokens: number | null;
  readonly promptTokens: number | null;
  /** The words of an unknown refusal, empty for an answer that says nothing; left out for any other. */
  readonly refusal?: UnknownRefusal | undefined;
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
  const counts = { requestedTokens: numberAt("requestedTokens"), promptTokens: numberAt("promptTokens") };
  const { words } = details;
  const refusal = typeof words === "string" ? { status: numberAt("status"), words } : undefined;
  return { outcome, limitTokens, ...counts, refusal };
}

/**
 * Adds a count of the prompt to a rejection without one. If the provider counted prompt and reply together, and even that is less than was expected of the prompt,
 * its count becomes the prompt's; so does the rest of it without the reply, if that is more than was expected: a refusal outweighs the estimate.
 */
export function withCount<R extends Rejection>(
  rejection: R,
  { expectedTokens, askedTokens }: { readonly expectedTokens: number; readonly askedTokens: number | null },
): R {
  const { outcome, promptTokens, requestedTokens } = rejection;
  if (!isOfTokens(outcome) || promptTokens !== null || requestedTokens === null) return rejection;
  if (requestedTokens < expectedTokens) return { ...rejection, promptTokens: requestedTokens };
  const leftTokens = askedTokens === null ? 0 : requestedTokens - askedTokens;
  return leftTokens > expectedTokens ? { ...rejection, promptTokens: leftTokens } : rejection;
}

function isOfTokens(outcome: RequestOutcome): boolean {
  return outcome.kind === "too-large" && outcome.of === "tokens";
}

function isOutcome(value: JsonValue | undefined): value is JsonValue & RequestOutcome {
  return isRecord(value) && typeof value.kind === "string" && Object.hasOwn(REMEDIES, value.kind);
}

/** The facts of a reply that show whether the window cut it off; counts are `null` if they were not reported. */
export interface EndedReply {
  readonly stopReason: StopReason | null;
  /** True if the vendor says that the full window cut it off. */
  readonly isWindowFull: boolean;
  /** Characters of its text; `null` if it has a tool call or another part than text, so that it is not empty with any text. */
  readonly saidChars: number | null;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
}

/** A reply that stopped below this share of the requested length was not cut by that. Chosen. */
const CUT_REPLY_RATIO = 0.5;

/** Above this share of a window it may have ended a reply, above the other it did, for any requested length. Chosen. */
const FULL_WINDOW_RATIO = 0.5;
const ENDED_WINDOW_RATIO = 0.98;

/** A server's own limit leaves a reply more than this share of the requested length: a reply that stops sooner had no room, whatever window is believed. Chosen. */
const FEW_RATIO = 1 / 16;
const FEW_TOKENS = 16;

/** Characters of a token, at the most: text of so many tokens was written, whatever the report. Chosen. */
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

/** A rejection with the caller's share if nothing can be done: the error as it came, or the answer that the window cut off, which is taken then. */
interface Refusal<Answer> extends Rejection {
  readonly error: unknown;
  readonly cutOff?: { readonly answer: Answer };
}

/** The outcome of sending a request once: its answer, or its refusal. */
export type Attempt<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "refused"; readonly rejection: Refusal<Answer> };

interface AttemptReading<Answer> {
  /** Decides the outcome of an answer. */
  readonly outcomeIn: (answer: Answer) => RequestOutcome;
  /** Reads from an error how the request was refused; `null` for every other failure, which is thrown as it came. */
  readonly rejectionIn: (error: unknown) => Rejection | null;
  /** Returns the expected tokens of the prompt. */
  readonly expectedTokens: () => number;
  /** Returns the tokens of the longest reply that was asked for; `null` if it is not known. */
  readonly askedTokens: () => number | null;
}

/** Sends a request once and decodes the outcome. Passes on other failures as they came. */
export async function attempted<Answer>(
  send: () => PromiseLike<Answer>,
  { outcomeIn, rejectionIn, ...tokens }: AttemptReading<Answer>,
): Promise<Attempt<Answer>> {
  try {
    const answer = await send();
    const outcome = outcomeIn(answer);
    if (remedyOf(outcome) === "none") return { kind: "answered", answer };
    const uncounted = { limitTokens: null, requestedTokens: null, promptTokens: null, refusal: { status: null, words: "" } };
    return { kind: "refused", rejection: { outcome, ...uncounted, error: null, cutOff: { answer } } };
  } catch (error) {
    const rejection = rejectionIn(error);
    if (rejection === null) throw error;
    const sizes = { expectedTokens: tokens.expectedTokens(), askedTokens: tokens.askedTokens() };
    return { kind: "refused", rejection: { ...withCount(rejection, sizes), error } };
  }
}

/**
 * Returns the answer of an attempt, even one that the window cut off. Throws the provider's error if there is no answer; for a refused size the error of `session`, if
 * that knows parts that cannot fit.
 */
export function answerOf<Answer>(attempt: Attempt<Answer>, session: { overflow(cause: unknown): Error | null } | null): Answer {
  if (attempt.kind === "answered") return attempt.answer;
  const { cutOff, error, outcome } = attempt.rejection;
  const isOfSize = ["shrink", "try-less"].includes(remedyOf(outcome));
  if (cutOff === undefined) throw (isOfSize ? session?.overflow(error) : null) ?? error;
  return cutOff.answer;
}

/**
 * A try with less after an unknown refusal: its recovery, and the expected size of the smallest try so far that did not help; infinity for none. `refused` is the
 * unit of media that is reduced, left out for less of everything.
 */
export type NextTry = Required<Pick<FitInput, "recovery" | "refusedTokens">> & Pick<FitInput, "refused">;

/** The caller's functions with which {@link sendWithRecovery} sends a request and makes it smaller. */
export interface Recovery<Answer> {
  readonly policy: EnginePolicy;
  /** Sends the context as it is now. */
  readonly attempt: () => Promise<Attempt<Answer>>;
  /** Compacts at the gate `on-overflow`. False if there is nothing new to send: the request is too long then. */
  readonly recover: (facts: RecoveryFacts, rejection: Rejection) => Promise<boolean>;
  /** Decides the next try after an unknown refusal; `null` if nothing is to be tried. Left out for never. */
  readonly nextTry?: (asked: AskedTry) => NextTry | null;
  /** Undoes the last recovery, which did not help: its request was refused, too. */
  readonly undo?: (refusal: UnknownRefusal) => Promise<unknown>;
  /** Removes refused reasoning from the context. False if there is none: then the caller gets the refusal. Left out if there never is any. */
  readonly leaveReasoning?: (refused: RefusedReasoning) => Promise<boolean>;
  /** Limits replies from now on to this many tokens; `null` if the vendor names no limit. False if that is no less than before. Left out if the caller sets it. */
  readonly lowerReply?: (limitTokens: number | null) => boolean | Promise<boolean>;
  /**
   * Believes a refusal about prompt and reply together, and asks for a shorter reply beside the same prompt. False if none of use is left: then less is sent. Left
   * out if the caller sets the reply.
   */
  readonly lowerBeside?: (rejection: Rejection) => Promise<boolean>;
  /** Called for each rejection; `recovery` counts from 1 and is 0 if none is left. */
  readonly onRejection?: (rejection: Rejection, recovery: number) => void;
  /** The attempts before the first one, for a caller that sends by itself: recoveries so far, and the tried parts. Nothing if it is left out. */
  readonly done?: { readonly recovery: number; readonly tried: Tried; readonly isBeside?: boolean };
}

/** How reasoning was refused: by its name, or in unknown words that may be about it. */
export type RefusedReasoning = "named" | "unnamed";

/** How a request was tried after an unknown refusal: with less of its media, or with less of all. */
type Tried = "none" | "media" | "less";

/** An unknown refusal, and the tries of the same request before it. */
export interface AskedTry {
  readonly outcome: RequestOutcome;
  readonly tried: Tried;
}

type RecoveryFacts = Required<
  Pick<FitInput, "observedLimitTokens" | "observedPromptTokens" | "observedRequestTokens" | "recovery">
> &
  Pick<FitInput, "refused" | "refusedTokens" | "refusal">;

/**
 * Sends a request; if it is rejected as too long, compacts and sends again, as often as `recoveriesOf` says; if its reasoning is refused, removes that and sends once
 * more. After an unknown refusal of the largest request so far it tries once with less media, if the request holds the most of them, and once with less of everything;
 * with still less if the caller sends it again. The one recovery loop: the agent, the drop-ins and the replay use it. Resolves to the last attempt.
 */
export async function sendWithRecovery<Answer>(request: Recovery<Answer>): Promise<Attempt<Answer>> {
  const { policy, done } = request;
  const maximum = recoveriesOf(policy);
  let tried: Tried = done?.tried ?? "none";
  let isLowered = !policy.enabled;
  // Once: some vendors name the least that was too much, and would refuse each reply that fits beside it.
  let isBeside = isLowered || done?.isBeside === true;
  let leaveReasoning = policy.enabled ? request.leaveReasoning : undefined;
  for (let recovery = done?.recovery ?? 0; ; ) {
    let next: NextTry | null = null;
    const attempt = await request.attempt();
    if (attempt.kind === "answered") return attempt;
    const { rejection } = attempt;
    const { outcome } = rejection;
    if ("isOfForm" in outcome && outcome.isOfForm === true && (await leaveReasoning?.("unnamed")) === true) continue;
    const remedy = remedyOf(outcome);
    switch (remedy) {
      case "none":
        return attempt;
      case "leave-reasoning":
        if ((await leaveReasoning?.("named")) !== true) return attempt;
        leaveReasoning = undefined;
        continue;
      case "lower-reply":
        if (isLowered || outcome.kind !== "reply-too-large" || (await request.lowerReply?.(outcome.limit)) !== true)
          return attempt;
        isLowered = true;
        continue;
      case "try-less": {
        // Less did not help: the removed parts come back, and the refusal is the caller's.
        if (tried !== "none") await request.undo?.(rejection.refusal ?? { status: null, words: "" });
        next = tried === "less" ? null : (request.nextTry?.({ outcome, tried }) ?? null);
        if (next === null) return attempt;
        recovery = Math.max(recovery, next.recovery);
        break;
      }
      case "shrink":
        if (isBeside || !isOfTokens(outcome) || (await request.lowerBeside?.(rejection)) !== true) break;
        isBeside = true;
        continue;
      default:
        return remedy satisfies never;
    }
    const isOfMedia = next?.refused !== undefined;
    tried = next === null ? "none" : isOfMedia ? "media" : "less";
    const isLast = recovery >= maximum;
    request.onRejection?.(rejection, isLast ? 0 : recovery + 1);
    if (isLast) return attempt;
    const isOfUnit = outcome.kind === "too-large" && outcome.of !== "tokens" && outcome.of !== "minute";
    const facts = {
      observedLimitTokens: rejection.limitTokens,
      observedPromptTokens: rejection.promptTokens,
      observedRequestTokens: rejection.requestedTokens,
      recovery,
      refusedTokens: next?.refusedTokens ?? null,
      refusal: next === null ? undefined : rejection.refusal,
      refused: isOfUnit ? { unit: outcome.of, limit: outcome.limit ?? null } : next?.refused,
    };
    const isNew = await request.recover(facts, rejection).catch((error: unknown) => {
      // An answer that was cut off is better than none.
      if (rejection.cutOff === undefined) throw error;
      return false;
    });
    if (!isNew) return attempt;
    if (!isOfMedia) recovery += 1;
  }
}
