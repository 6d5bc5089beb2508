import type { Conversation } from "./conversation.ts";
import { afterAnswer, afterRejection, believedAt, type LearnedLimit, NOTHING_LEARNED } from "./learned-limit.ts";
import type { LimitEvent } from "./limit-events.ts";

/**
 * True if nothing as large as the conversation's next request was answered since its newest cut. By the policy's own measure of messages: what a provider reports may be
 * a multiple of the truth, and a window may have shrunk since the larger ones.
 */
export function isLargest({ manager }: Pick<Conversation, "manager">): boolean {
  const { estimatedTokens, estimatedAtLastCallTokens } = manager.ledger();
  return estimatedAtLastCallTokens === null || estimatedTokens >= estimatedAtLastCallTokens;
}

/** What the log of a session tells of one model's window: a session that is taken up again knows what it knew. */
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
      const { limitTokens, expectedTokens } = event;
      const request = { expectedTokens, reserveTokens, nowMs: event.atMs };
      const learned = afterRejection(known.learned, { limitTokens, promptTokens: null }, request);
      return { learned, expectedTokens: event.afterTokens };
    }, start);
  return believedAt(learned, nowMs);
}
