import { isDeclared, type Message, toolCallsOf } from "../message/message.ts";
import { createWaitingCalls } from "../message/waiting-calls.ts";

/**
 * For each cut point `0 … messages.length` (the index of the first kept message) whether it parts no call from its result and takes
 * nothing of the open step. A call binds everything up to its last result, wherever that is. The open step binds all that follows;
 * any other call without a result, and a result without a call, binds nothing. With `lastStep: "answered"` no step is open. Two passes.
 */
export function safeCuts(messages: readonly Message[], lastStep: "open" | "answered" = "open"): readonly boolean[] {
  const openStep = lastStep === "open" ? openStepStart(messages) : messages.length;
  const lastResult = new Map<number, number>();
  const calls = createWaitingCalls<number>();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    const caller = message?.role === "tool-result" ? (calls.answered(message.callId) ?? calls.newest(message.callId)) : null;
    if (caller !== null) lastResult.set(caller, index);
    const own = message === undefined ? [] : toolCallsOf(message);
    if (own.length > 0) calls.met(own.map(({ callId }) => [callId, index] as const));
  }
  const safe = [true];
  let boundThrough = -1;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    boundThrough = Math.max(boundThrough, lastResult.get(index) ?? -1);
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
 * Index of the assistant message whose tool calls the model has not answered to yet: the newest step, with its calls and the
 * results that are there, and what the agent declared since. `messages.length` if the newest message but those is no call and no result.
 */
export function openStepStart(messages: readonly Message[]): number {
  const index = messages.findLastIndex((message) => message.role !== "tool-result" && !isDeclared(message));
  const message = messages[index];
  return message !== undefined && toolCallsOf(message).length > 0 ? index : messages.length;
}
