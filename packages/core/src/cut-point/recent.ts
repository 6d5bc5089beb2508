import type { Message } from "../message/message.ts";

/** The cut point that keeps the newest `count` messages. */
export function cutKeepingMessages(messages: readonly Message[], count: number): number {
  return Math.max(0, messages.length - count);
}

/**
 * The cut point at which the kept messages first reach `keepTokens`, walking back from the newest: the message that reaches
 * it is kept. 0 where all messages together do not reach it. Visits only what is kept.
 */
export function cutKeepingTokens(
  messages: readonly Message[],
  keepTokens: number,
  messageTokens: (message: Message) => number,
): number {
  if (keepTokens <= 0) return messages.length;
  let keptTokens = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) break;
    keptTokens += messageTokens(message);
    if (keptTokens >= keepTokens) return index;
  }
  return 0;
}
