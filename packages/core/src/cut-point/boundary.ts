import { isDeclared, isHuman, type Message, toolCallsOf } from "../message/message.ts";
import { safeCutAtOrAfter, safeCutAtOrBefore, safeCuts } from "./safe-cuts.ts";

/** Where a cut may fall, as a policy's `boundary` says it; {@link cutAtBoundary} explains each word. None parts a call from its result. */
export type Boundary = "any-safe" | "nearer-safe" | "next-safe" | "not-in-tool-batch" | "turn" | "human";

/**
 * The cut point nearest to `wanted` that the boundary allows. No cut parts a call from its result, or falls into the open step.
 *
 * - `any-safe` moves back, which keeps more.
 * - `nearer-safe` moves back, or forward if moving back kept more than half of the messages before `wanted`.
 * - `next-safe` moves forward, or back if nothing would be kept.
 * - `not-in-tool-batch` moves back to a text of the user or the assistant.
 * - `turn` moves forward to a human message, or back into the turn if none follows.
 * - `human` never cuts inside a turn. It moves forward to a message in the user's role, or behind the last turn if that has ended, or back. A message
 *   right behind a result belongs to the turn of the result.
 */
export function cutAtBoundary(messages: readonly Message[], wanted: number, boundary: Boundary): number {
  const safe = safeCuts(messages);
  switch (boundary) {
    case "any-safe":
      return safeCutAtOrBefore(safe, wanted);
    case "nearer-safe":
      return nearerSafe(safe, wanted);
    case "next-safe":
      return nextSafe(messages, safe, wanted);
    case "not-in-tool-batch":
      return outsideToolBatch(messages, safe, wanted);
    case "turn":
      return nextTurn(messages, safe, wanted);
    case "human":
      return atHuman(messages, safe, wanted);
    default:
      return boundary satisfies never;
  }
}

function nearerSafe(safe: readonly boolean[], wanted: number): number {
  const back = safeCutAtOrBefore(safe, wanted);
  const isFar = wanted - back > wanted / 2;
  return isFar ? (safeCutAtOrAfter(safe, wanted) ?? back) : back;
}

function nextSafe(messages: readonly Message[], safe: readonly boolean[], wanted: number): number {
  // A result whose call is not there binds nothing, yet it is no beginning.
  const next = messages.findIndex((message, at) => at >= wanted && safe[at] === true && message.role !== "tool-result");
  return next === -1 ? safeCutAtOrBefore(safe, wanted) : next;
}

/** Moves back past calls and results, so that the first kept message is a user's or an assistant's text. */
function outsideToolBatch(messages: readonly Message[], safe: readonly boolean[], wanted: number): number {
  let cut = safeCutAtOrBefore(safe, wanted);
  while (cut > 0 && isInToolBatch(messages[cut])) cut = safeCutAtOrBefore(safe, cut - 1);
  return cut;
}

function isInToolBatch(message: Message | undefined): boolean {
  return message !== undefined && (message.role === "tool-result" || toolCallsOf(message).length > 0);
}

function nextTurn(messages: readonly Message[], safe: readonly boolean[], wanted: number): number {
  const next = messages.findIndex((message, at) => at >= wanted && isHuman(message));
  return next === -1 ? safeCutAtOrBefore(safe, wanted) : next;
}

function atHuman(messages: readonly Message[], safe: readonly boolean[], wanted: number): number {
  const isBeginning = (message: Message, at: number) =>
    message.role === "user" && message.origin !== "summary" && !isDeclared(message) && messages[at - 1]?.role !== "tool-result";
  const next = messages.findIndex((message, at) => at >= wanted && isBeginning(message, at));
  if (next >= 0) return next;
  const last = messages.at(-1);
  const hasEnded = last?.role === "assistant" && toolCallsOf(last).length === 0;
  return hasEnded ? safeCutAtOrBefore(safe, messages.length) : Math.max(0, messages.findLastIndex(isBeginning));
}
