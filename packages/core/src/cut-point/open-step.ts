import type { Message } from "../message/message.ts";
import { toolCallsOf } from "../message/message.ts";

/**
 * Index of the assistant message whose tool calls the model has not answered to yet: the newest step, with its calls and the
 * results that are there. `messages.length` if the newest message is no call and no result.
 */
export function openStepStart(messages: readonly Message[]): number {
  let index = messages.length - 1;
  while (index >= 0 && messages[index]?.role === "tool-result") index -= 1;
  const message = messages[index];
  return message !== undefined && toolCallsOf(message).length > 0 ? index : messages.length;
}
