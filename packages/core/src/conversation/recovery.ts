import type { FitInput } from "../engine/fit-input.ts";
import { recoveriesOf } from "../engine/goal.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { RequestOutcome } from "./outcome.ts";
import { remedyOf } from "./outcome.ts";

/** A request that was refused, or whose answer was cut off: what the provider said of it, in tokens; `null` for what it did not say. */
export interface Rejection {
  readonly limitTokens: number | null;
  /** Prompt and the output that was asked for. */
  readonly requestedTokens: number | null;
  readonly promptTokens: number | null;
  /** What it came to; too many tokens if it is left out. */
  readonly outcome?: RequestOutcome;
}

/**
 * What came of sending once: an answer, a prompt that is too long, or reasoning that was refused because it was made behind another beginning. Every other failure
 * is thrown.
 */
export type Attempt<Answer, Refusal extends Rejection> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "too-long"; readonly rejection: Refusal }
  | { readonly kind: "reasoning-refused"; readonly error: unknown };

/** The class of a provider's failure that refuses reasoning because it was made behind another beginning. */
export const REASONING_REFUSED = "reasoning-refused";

const TOO_MANY_TOKENS: RequestOutcome = { kind: "too-large", of: "tokens" };

/** How a request is sent, and what a recovery does. */
export interface Recovery<Answer, Refusal extends Rejection> {
  readonly policy: EnginePolicy;
  /** Sends the context as it is now. */
  readonly attempt: () => Promise<Attempt<Answer, Refusal>>;
  /** Compacts at the gate `on-overflow`. False if there is nothing new to send: the request is too long then. */
  readonly recover: (facts: RecoveryFacts, rejection: Refusal) => Promise<boolean>;
  /** Whether nothing as large was answered since the newest cut: only then less is tried after an unknown refusal. Left out for never. */
  readonly isLargest?: () => boolean;
  /** Puts back what the last recovery took: the same words came back. */
  readonly undo?: () => Promise<void>;
  /** Takes all bound reasoning out of the context. False if there is none: the refusal is the caller's then. Left out if there never is any. */
  readonly leaveReasoning?: () => Promise<boolean>;
  /** Told of each rejection; `recovery` counts from 1 and is 0 if none is left. */
  readonly onRejection?: (rejection: Refusal, recovery: number) => void;
}

/** What a fit at the gate `on-overflow` is told. */
export type RecoveryFacts = Required<Pick<FitInput, "observedLimitTokens" | "observedPromptTokens" | "recovery">>;

/**
 * Sends a request; if it is rejected as too long, compacts and sends again, as often as `recoveriesOf` says; if its reasoning is refused, takes that out and sends
 * again, once. An unknown refusal of the largest request so far is tried once with less. The one recovery loop: the agent, the drop-ins and the replay use it. Answers with the last attempt.
 */
export async function sendWithRecovery<Answer, Refusal extends Rejection>(
  request: Recovery<Answer, Refusal>,
): Promise<Attempt<Answer, Refusal>> {
  const { policy } = request;
  const maximum = recoveriesOf(policy);
  let isTried = false;
  let leaveReasoning = policy.enabled ? request.leaveReasoning : undefined;
  for (let recovery = 0; ; ) {
    const attempt = await request.attempt();
    if (attempt.kind === "answered") return attempt;
    if (attempt.kind === "reasoning-refused") {
      if ((await leaveReasoning?.()) !== true) return attempt;
      leaveReasoning = undefined;
      continue;
    }
    const { rejection } = attempt;
    const isUnknown = remedyOf(rejection.outcome ?? TOO_MANY_TOKENS) === "try-less";
    // Less did not help: what was taken comes back, and the refusal is the caller's.
    if (isUnknown && isTried) await request.undo?.();
    if (isUnknown && (isTried || request.isLargest?.() !== true)) return attempt;
    isTried = isUnknown;
    const isLast = recovery >= maximum;
    request.onRejection?.(rejection, isLast ? 0 : recovery + 1);
    if (isLast) return attempt;
    const { limitTokens: observedLimitTokens, promptTokens: observedPromptTokens } = rejection;
    const isNew = await request.recover({ observedLimitTokens, observedPromptTokens, recovery }, rejection);
    if (!isNew) return attempt;
    recovery += 1;
  }
}
