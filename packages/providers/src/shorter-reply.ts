import { type ContextEvent, type ModelLimits, PLIMSOLL_POLICY, type SessionOptions } from "@plimsoll/core";
import { LEAST_REPLY_TOKENS, replyBeside, requireFallback } from "@plimsoll/core/extend";

/** The reply to ask for in a call that names none: that of the program's own limits, whose room is kept free; none with compaction off. */
export function namedReply({
  limits,
  policy = PLIMSOLL_POLICY,
  kinds,
}: Partial<Pick<SessionOptions, "policy" | "kinds">> & { readonly limits?: Partial<ModelLimits> }): number | undefined {
  return requireFallback(policy, kinds).enabled ? (limits?.maxOutputTokens ?? undefined) : undefined;
}

/** Half of a reply, to ask for at most where a refusal names a limit but no count: an estimate may be wrong by more than a shorter step. */
function halfReply(askedTokens: number): number {
  return Math.min(askedTokens, Math.max(LEAST_REPLY_TOKENS, Math.floor(askedTokens / 2)));
}

/** A reply that is asked for where a refusal may be about the reply and names no limit; chosen: every current model gives as much. */
const USUAL_REPLY_TOKENS = 8_192;

/**
 * Returns the reply to ask for beside the same prompt, after a refusal of both together; `null` if it would be no shorter, or if nothing of use fits. `limits` have the
 * window that was named; if none was (`isNamed`), a usual reply is tried.
 */
export function shorterReply(
  limits: ModelLimits,
  asked: {
    readonly askedTokens: number | null;
    readonly promptTokens: number;
    readonly isNamed: boolean;
    /** True if the refusal has a count, of the prompt or of both. */
    readonly isCounted: boolean;
  },
): number | null {
  const { askedTokens, promptTokens, isNamed, isCounted } = asked;
  const besideTokens = isNamed ? replyBeside(limits, promptTokens) : USUAL_REPLY_TOKENS;
  if (askedTokens === null || besideTokens === null) return null;
  const replyTokens = isNamed && !isCounted ? Math.min(besideTokens, halfReply(askedTokens)) : besideTokens;
  if (replyTokens >= askedTokens) return null;
  const isRoom = !isNamed || promptTokens + replyTokens <= (limits.contextWindowTokens ?? Number.POSITIVE_INFINITY);
  return isRoom ? replyTokens : null;
}

/** Makes the `reply-lowered` event from the limits asked for and those in use, in tokens. */
export function replyLowered(asked: ModelLimits, { contextWindowTokens, maxOutputTokens }: ModelLimits): ContextEvent {
  return { type: "reply-lowered", contextWindowTokens, askedTokens: asked.maxOutputTokens, maxOutputTokens };
}
