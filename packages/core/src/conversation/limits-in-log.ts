import { recoveryAfterTries } from "../engine/goal.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Conversation } from "./conversation.ts";
import { afterAnswer, afterRejection, believedAt, type LearnedLimit, NOTHING_LEARNED } from "./learned-limit.ts";
import type { LimitEvent } from "./limit-events.ts";

/**
 * Which recovery an unknown refusal of a conversation's next request asks for, by how many tries with less in a row did not help; `null` if none does, or if as much was
 * answered since the newest cut. By the policy's own measure of messages: what a provider reports may be a multiple of the truth, and a window may have shrunk since the larger ones.
 */
export function nextTry(
  { manager, limitEvents }: Pick<Conversation, "manager" | "limitEvents">,
  policy: EnginePolicy,
): number | null {
  const { estimatedTokens, estimatedAtLastCallTokens } = manager.ledger();
  if (estimatedAtLastCallTokens !== null && estimatedTokens < estimatedAtLastCallTokens) return null;
  const events = limitEvents();
  return recoveryAfterTries(policy, events.length - 1 - events.findLastIndex(({ kind }) => kind !== "undone"));
}

/** Reads the limits of one model's window off a session's log: a session that is taken up again knows all that it knew. */
export function learnedInLog(
  events: readonly LimitEvent[],
  {
    modelId,
    reserveTokens,
    nowMs,
  }: { readonly modelId: string; readonly reserveTokens: number; readonly nowMs: number | null },
): LearnedLimit {
  const start: { readonly learned: LearnedLimit; readonly expectedTokens: number | null } = {
    learned: NOTHING_LEARNED,
    expectedTokens: null,
  };
  const { learned } = events
    .filter((event) => event.modelId === modelId)
    .reduce((known, event) => {
      if (event.kind === "answered") {
        const expectedTokens = known.expectedTokens ?? event.promptTokens;
        const learned = afterAnswer(known.learned, { expectedTokens, nowTokens: event.promptTokens });
        return { learned, expectedTokens: null };
      }
      if (event.kind === "undone") return known;
      const { limitTokens, expectedTokens } = event;
      const request = { expectedTokens, reserveTokens, nowMs: event.atMs };
      const learned = afterRejection(known.learned, { limitTokens, promptTokens: null }, request);
      return { learned, expectedTokens: event.afterTokens };
    }, start);
  return believedAt(learned, nowMs);
}
