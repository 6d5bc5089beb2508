import type { MessageSpan } from "./entry.ts";
import { createWaitingCalls } from "./message/check.ts";
import { isDeclared, isHuman, type Message, toolCallsOf } from "./message/message.ts";

/**
 * For each cut point `0 … messages.length` (the index of the first kept message) whether it separates no call from its result and cuts nothing of the open step. A call
 * binds everything up to its last result, wherever that is. The open step binds all that follows;
 * any other call without a result, and a result without a call, binds nothing. With `lastStep: "answered"` no step is open. Two passes.
 */
export function safeCuts(messages: readonly Message[], lastStep: "open" | "answered" = "open"): readonly boolean[] {
  const openStep = lastStep === "open" ? openStepStart(messages) : messages.length;
  const lastResult = new Array<number>(messages.length).fill(-1);
  const calls = createWaitingCalls<number>();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    const caller = message?.role === "tool-result" ? (calls.answered(message.callId) ?? calls.newest(message.callId)) : null;
    if (caller !== null) lastResult[caller] = index;
    if (message !== undefined) for (const { callId } of toolCallsOf(message)) calls.met(callId, index, index);
  }
  const safe = [true];
  let boundThrough = -1;
  for (let index = 0; index < messages.length; index++) {
    boundThrough = Math.max(boundThrough, lastResult[index] ?? -1);
    if (index === openStep) boundThrough = messages.length;
    safe.push(boundThrough <= index);
  }
  return safe;
}

/** The largest safe cut point at or below `index`; 0 is always safe. */
export function safeCutAtOrBefore(safe: readonly boolean[], index: number): number {
  return safe.lastIndexOf(true, Math.max(0, index));
}

/** The smallest safe cut point at or above `index`, or `null` if there is none. */
export function safeCutAtOrAfter(safe: readonly boolean[], index: number): number | null {
  const cut = safe.indexOf(true, Math.max(0, index));
  return cut === -1 ? null : cut;
}

/**
 * Index of the assistant message whose tool calls the model has not answered to yet: the newest step, with its calls and the present results, and the
 * agent's declarations since. `messages.length` if the newest message, results and declarations aside, makes no tool call.
 */
export function openStepStart(messages: readonly Message[]): number {
  const index = messages.findLastIndex((message) => message.role !== "tool-result" && !isDeclared(message));
  const message = messages[index];
  return message !== undefined && toolCallsOf(message).length > 0 ? index : messages.length;
}

/** How much of the newest history is kept: so many messages, or those that first reach an amount of tokens. */
export type NewestKept = { readonly messages: number } | { readonly tokens: number };

/**
 * The cut point that keeps so much; with `overTokens` the newest messages that first exceed an amount. The message that reaches or exceeds it stays. 0 if all
 * messages together do not. Visits only the kept messages.
 */
export function cutKeeping(
  messages: readonly Message[],
  keep: NewestKept | { readonly overTokens: number },
  messageTokens: (message: Message) => number,
): number {
  if ("messages" in keep) return Math.max(0, messages.length - keep.messages);
  if ("tokens" in keep && keep.tokens <= 0) return messages.length;
  let keptTokens = 0;
  const cut = messages.findLastIndex((message) => {
    keptTokens += messageTokens(message);
    return "tokens" in keep ? keptTokens >= keep.tokens : keptTokens > keep.overTokens;
  });
  return Math.max(0, cut);
}

/**
 * Returns the spans from `start` up to `cut` that may go, in order: all of it, or if the last human message is there, the older part and the part behind it; with
 * `lastHuman: "goes"` that is one like any other. Empty if nothing but that message lies there; two spans only if there is something on both sides of it.
 */
export function spansBetween(
  messages: readonly Message[],
  { start, cut, lastHuman }: { start: number; cut: number; lastHuman?: "stays" | "goes" | undefined },
): readonly MessageSpan[] {
  const human = lastHuman === "goes" ? -1 : messages.findLastIndex(isHuman);
  return [...span(messages, start, Math.min(human, cut)), ...span(messages, Math.max(start, human + 1), cut)];
}

function span(messages: readonly Message[], start: number, end: number): readonly MessageSpan[] {
  const first = messages[start];
  const last = messages[end - 1];
  return first === undefined || last === undefined || end <= start ? [] : [{ from: first.id, through: last.id }];
}

/** Where a cut may fall, as a policy's `boundary` says it; {@link cutAtBoundary} explains each word. None parts a call from its result. */
export type Boundary = "any-safe" | "next-safe" | "not-in-tool-batch" | "turn" | "human";

/**
 * The cut point nearest to `wanted` that the boundary allows. No cut parts a call from its result, or falls into the open step.
 *
 * - `any-safe` moves back, which keeps more.
 * - `next-safe` moves forward, or back if nothing would be kept.
 * - `not-in-tool-batch` moves back to a text of the user or the assistant.
 * - `turn` moves forward to a human message, or back into the turn if none follows.
 * - `human` never cuts inside a turn. It moves forward to a message in the user's role, or behind the last turn if that has ended, or back. A message
 *   right behind a result belongs to the turn of the result.
 */
export function cutAtBoundary(messages: readonly Message[], wanted: number, boundary: Boundary): number {
  const safe = safeCuts(messages);
  const nextWhere = (isBeginning: (message: Message, at: number) => boolean): number | null => {
    const next = messages.findIndex((message, at) => at >= wanted && safe[at] === true && isBeginning(message, at));
    return next < 0 ? null : next;
  };
  switch (boundary) {
    case "any-safe":
      return safeCutAtOrBefore(safe, wanted);
    case "next-safe":
      // A result whose call is not there binds nothing, yet it is no beginning.
      return nextWhere(({ role }) => role !== "tool-result") ?? safeCutAtOrBefore(safe, wanted);
    case "not-in-tool-batch": {
      const inBatch = messages.map((message) => message.role === "tool-result" || toolCallsOf(message).length > 0);
      const allowed = safe.map((isSafe, at) => at === 0 || (isSafe && inBatch[at] !== true));
      return safeCutAtOrBefore(allowed, wanted);
    }
    case "turn":
      return nextWhere(isHuman) ?? safeCutAtOrBefore(safe, wanted);
    case "human": {
      const isBeginning = (message: Message, at: number) =>
        safe[at] === true &&
        message.role === "user" &&
        message.origin !== "summary" &&
        !isDeclared(message) &&
        messages[at - 1]?.role !== "tool-result";
      const last = messages.at(-1);
      const hasEnded = last?.role === "assistant" && toolCallsOf(last).length === 0;
      const before = hasEnded ? safeCutAtOrBefore(safe, messages.length) : Math.max(0, messages.findLastIndex(isBeginning));
      return nextWhere(isBeginning) ?? before;
    }
    default:
      return boundary satisfies never;
  }
}
