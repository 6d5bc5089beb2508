import type { FitInput } from "../engine/fit-input.ts";
import { recoveriesOf } from "../engine/goal.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { NextTry } from "./limits-in-log.ts";
import { type Rejection, type RequestOutcome, refusedUnit, remedyOf, withCount } from "./outcome.ts";

/** A rejection with what is left to the caller if nothing can be done: the error as it came, or the answer that the window cut off, which is taken then. */
interface Refusal<Answer> extends Rejection {
  readonly error: unknown;
  readonly cutOff?: { readonly answer: Answer };
}

/** The outcome of sending a request once: its answer, or its refusal. */
export type Attempt<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "refused"; readonly rejection: Refusal<Answer> };

/** How one attempt is read. */
export interface AttemptReading<Answer> {
  /** Decides the outcome of an answer. */
  readonly outcomeIn: (answer: Answer) => RequestOutcome;
  /** Reads from an error how the request was refused; `null` for every other failure, which is thrown as it came. */
  readonly rejectionIn: (error: unknown) => Rejection | null;
  /** Returns the expected tokens of the prompt. */
  readonly expectedTokens: () => number;
}

/** Sends a request once and decodes the outcome. Throws a failure that is no refusal as it came. */
export async function attempted<Answer>(
  send: () => PromiseLike<Answer>,
  { outcomeIn, rejectionIn, expectedTokens }: AttemptReading<Answer>,
): Promise<Attempt<Answer>> {
  try {
    const answer = await send();
    const outcome = outcomeIn(answer);
    if (remedyOf(outcome) === "none") return { kind: "answered", answer };
    const rejection = {
      outcome,
      limitTokens: null,
      requestedTokens: null,
      promptTokens: null,
      error: null,
      cutOff: { answer },
    };
    return { kind: "refused", rejection };
  } catch (error) {
    const rejection = rejectionIn(error);
    if (rejection === null) throw error;
    return { kind: "refused", rejection: { ...withCount(rejection, expectedTokens()), error } };
  }
}

/** Returns the answer of an attempt, even one that the window cut off. Throws the provider's error if there is no answer. */
export function answerOf<Answer>(attempt: Attempt<Answer>): Answer {
  if (attempt.kind === "answered") return attempt.answer;
  const { cutOff, error } = attempt.rejection;
  if (cutOff === undefined) throw error;
  return cutOff.answer;
}

/** The caller's functions with which {@link sendWithRecovery} sends a request and makes it smaller. */
export interface Recovery<Answer> {
  readonly policy: EnginePolicy;
  /** Sends the context as it is now. */
  readonly attempt: () => Promise<Attempt<Answer>>;
  /** Compacts at the gate `on-overflow`. False if there is nothing new to send: the request is too long then. */
  readonly recover: (facts: RecoveryFacts, rejection: Rejection) => Promise<boolean>;
  /** Decides the next try after an unknown refusal; `null` if nothing is to be tried. Left out for never. */
  readonly nextTry?: () => NextTry | null;
  /** Undoes the last recovery, which did not help. */
  readonly undo?: () => Promise<void>;
  /** Removes all bound reasoning from the context. False if there is none: then the caller gets the refusal. Left out if there never is any. */
  readonly leaveReasoning?: () => Promise<boolean>;
  /** Limits replies from now on to this many tokens; `null` if the vendor names no limit. False if that is no less than before. Left out if the caller sets it. */
  readonly lowerReply?: (limitTokens: number | null) => boolean;
  /** Told of each rejection; `recovery` counts from 1 and is 0 if none is left. */
  readonly onRejection?: (rejection: Rejection, recovery: number) => void;
  /** The attempts before the first one, for a caller that sends by itself: recoveries so far, and whether less was tried. Nothing if it is left out. */
  readonly done?: { readonly recovery: number; readonly isTried: boolean };
}

/** Facts that a fit at the gate `on-overflow` needs. */
export type RecoveryFacts = Required<Pick<FitInput, "observedLimitTokens" | "observedPromptTokens" | "recovery">> &
  Pick<FitInput, "refused" | "refusedTokens">;

/**
 * Sends a request; if it is rejected as too long, compacts and sends again, as often as `recoveriesOf` says; if its reasoning is refused, takes that out and sends
 * again, once. An unknown refusal of the largest request so far is tried once with less, and with still less if the caller sends it again. The one recovery loop: the agent, the drop-ins and the replay use it. Answers with the last attempt.
 */
export async function sendWithRecovery<Answer>(request: Recovery<Answer>): Promise<Attempt<Answer>> {
  const { policy, done } = request;
  const maximum = recoveriesOf(policy);
  let isTried = done?.isTried === true;
  let isLowered = !policy.enabled;
  let leaveReasoning = policy.enabled ? request.leaveReasoning : undefined;
  for (let recovery = done?.recovery ?? 0; ; ) {
    let refusedTokens: number | null = null;
    const attempt = await request.attempt();
    if (attempt.kind === "answered") return attempt;
    const { rejection } = attempt;
    const remedy = remedyOf(rejection.outcome);
    switch (remedy) {
      case "none":
        return attempt;
      case "leave-reasoning":
        if ((await leaveReasoning?.()) !== true) return attempt;
        leaveReasoning = undefined;
        continue;
      case "lower-reply":
        if (isLowered || rejection.outcome.kind !== "reply-too-large" || request.lowerReply?.(rejection.outcome.limit) !== true)
          return attempt;
        isLowered = true;
        continue;
      case "try-less": {
        // Less did not help: what was taken comes back, and the refusal is the caller's.
        if (isTried) await request.undo?.();
        const next = isTried ? null : (request.nextTry?.() ?? null);
        if (next === null) return attempt;
        recovery = Math.max(recovery, next.recovery);
        refusedTokens = next.refusedTokens;
        break;
      }
      case "shrink":
        break;
      default:
        return remedy satisfies never;
    }
    isTried = remedy === "try-less";
    const isLast = recovery >= maximum;
    request.onRejection?.(rejection, isLast ? 0 : recovery + 1);
    if (isLast) return attempt;
    const { limitTokens: observedLimitTokens, promptTokens: observedPromptTokens } = rejection;
    const facts = { observedLimitTokens, observedPromptTokens, recovery, refusedTokens, ...refusedUnit(rejection.outcome) };
    const isNew = await request.recover(facts, rejection).catch((error: unknown) => {
      // An answer that was cut off is better than none.
      if (rejection.cutOff === undefined) throw error;
      return false;
    });
    if (!isNew) return attempt;
    recovery += 1;
  }
}
