import type { Conversation } from "./conversation.ts";
import { afterAnswer, afterRejection, believedAt, type LearnedLimit, NOTHING_LEARNED } from "./learned-limit.ts";
import type { LimitEvent } from "./limit-events.ts";

/** True if the conversation's next request is expected to be the largest that it sent: nothing as large was answered. */
export function isLargest({ limitEvents, manager }: Pick<Conversation, "limitEvents" | "manager">): boolean {
  const { expectedTokens } = manager.predict();
  return limitEvents().every((event) => event.kind !== "answered" || event.promptTokens < expectedTokens);
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
      const rejection = { limitTokens, requestedTokens: null, promptTokens: null };
      const learned = afterRejection(known.learned, rejection, { expectedTokens, reserveTokens, nowMs: event.atMs });
      return { learned, expectedTokens: event.afterTokens };
    }, start);
  return believedAt(learned, nowMs);
}
