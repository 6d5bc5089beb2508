import type { Message, Policy } from "@plimsoll/core";

/**
 * A recorded message as it enters the history of a policy: the one place where a policy's cap of tool results applies.
 * TODO(truncation): results pass `truncateToolResult` here, by `policy.truncation`.
 */
export function onArrival(message: Message, _policy: Policy): Message {
  return message;
}
