import type { WireRules } from "@plimsoll/core/internal";

/**
 * What the OpenAI Chat Completions API accepts. Sources:
 *
 * - platform.openai.com/docs/api-reference/chat/create: content of tool messages is text alone (openai/openai-openapi#523); empty text
 *   is accepted; a conversation may begin and end with any role; reasoning is not sent back, so it cannot stand in the way
 * - its errors: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", "messages
 *   with role 'tool' must be a response to a preceeding message with 'tool_calls'" (simonw/llm#937), "Invalid
 *   'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40" (microsoft/autogen#6377; some models take 64)
 */
export const OPENAI_CHAT_WIRE_RULES: WireRules = {
  name: "openai-chat",
  firstMessage: "any",
  lastMessage: "any",
  emptyContent: "accept",
  malformedText: "reject",
  resultPlacement: "right-after-call",
  trailingReasoning: "accept",
  resultImages: "reject",
  sameRole: "accept",
  callIds: "any",
  maximumCallIdChars: 40,
  maximumMessages: null,
};

/** Longest name of a tool: platform.openai.com/docs/api-reference/chat/create. */
export const MAXIMUM_TOOL_NAME_CHARS = 64;
