import type { Message, Policy } from "@plimsoll/core";
import { truncateMessage } from "@plimsoll/core/internal";

/**
 * A recorded message as it enters the history of a policy: results pass the policy's cap, by their category. A message that is
 * not cut stays the recorded object.
 */
export function onArrival(message: Message, { truncation }: Pick<Policy, "truncation">): Message {
  return message.role === "tool-result" ? truncateMessage(message, truncation).message : message;
}
