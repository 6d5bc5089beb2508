import type { FitInput } from "../engine/fit-input.ts";
import { recoveryOfTry } from "../engine/goal.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Conversation } from "./conversation.ts";
import { afterAnswer, afterRejection, believedAt, type LearnedLimit, NOTHING_LEARNED } from "./learned-limit.ts";
import type { LimitEvent } from "./limit-events.ts";

/** A try with less after an unknown refusal: which recovery it is, and what was expected of the smallest one so far that did not help; infinity for none. */
export type NextTry = Required<Pick<FitInput, "recovery" | "refusedTokens">>;

/**
 * Decides whether to try a smaller request after a refusal that gave no known reason; `null` means no. The largest request so far may be too large, so
 * a smaller one is tried at once. A request below a size that was answered is only tried smaller if it is refused a second time: the window may have shrunk.
 * Answered sizes count since the last refusal that a smaller request helped with; without any, or if reports cannot be right, each request is the largest.
 * `refusedTimes` counts this refusal and those right before it, with no answer between.
 */
export function nextTry(
  { manager, limitEvents }: Pick<Conversation, "manager" | "limitEvents">,
  { policy, refusedTimes }: { readonly policy: EnginePolicy; readonly refusedTimes: number },
): NextTry | null {
  const events = limitEvents();
  const first = events.findLastIndex(({ kind }) => kind !== "undone") + 1;
  const undone = events.slice(first).flatMap((event) => (event.kind === "undone" ? [event] : []));
  const answered = events.slice(events.findLastIndex(({ kind }) => kind === "refused") + 1);
  const answeredTokens = Math.max(0, ...answered.map((event) => (event.kind === "answered" ? event.promptTokens : 0)));
  const isLargest = manager.state().usageWatch.isRefused || manager.predict().upperTokens >= answeredTokens;
  if (!isLargest && refusedTimes < 2) return null;
  const tries = Math.max(refusedTimes, undone.length + 1);
  const recovery = recoveryOfTry(policy, { tries, isSaid: undone.at(-1)?.isPast === true });
  if (recovery === null) return null;
  return { recovery, refusedTokens: Math.min(...undone.map(({ afterTokens }) => afterTokens)) };
}

/** Reads from a log's events the limits that one model's refusals taught, so that a resumed session knows them. Those older than a day at `nowMs` are dropped. */
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
