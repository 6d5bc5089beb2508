import type { Message } from "../message/message.ts";
import { toolCallsOf } from "../message/message.ts";

/**
 * For each cut point `0 … messages.length` (the index of the first kept message) whether no call would be parted from its
 * result: every call before the cut has all its results before it too. One pass.
 */
export function safeCuts(messages: readonly Message[]): readonly boolean[] {
  const open = new Set<string>();
  const safe = [true];
  for (const message of messages) {
    for (const call of toolCallsOf(message)) open.add(call.callId);
    if (message.role === "tool-result") open.delete(message.callId);
    safe.push(open.size === 0);
  }
  return safe;
}

/** The largest safe cut point at or below `index`; 0 is always safe. */
export function safeCutAtOrBefore(safe: readonly boolean[], index: number): number {
  let cut = Math.min(index, safe.length - 1);
  while (cut > 0 && safe[cut] !== true) cut -= 1;
  return Math.max(0, cut);
}

/** The smallest safe cut point at or above `index`, or `null` where there is none. */
export function safeCutAtOrAfter(safe: readonly boolean[], index: number): number | null {
  for (let cut = Math.max(0, index); cut < safe.length; cut++) if (safe[cut] === true) return cut;
  return null;
}
