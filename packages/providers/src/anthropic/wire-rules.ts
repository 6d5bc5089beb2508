import type { WireRules } from "@plimsoll/core/internal";

/**
 * What the Anthropic Messages API accepts. Sources:
 *
 * - platform.claude.com/docs/en/api/messages: neighbours of one role are combined; at most 100,000 messages in a request; a request that
 *   ends with an assistant message is a prefill, which models from Claude 4.6 on reject ("The conversation must end with a user message")
 * - platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use: all results of a message's calls come first in the next
 *   message; a result may hold images
 * - its errors: "first message must use the "user" role", "text content blocks must be non-empty", "all messages must have non-empty
 *   content", "The final block in an assistant message cannot be `thinking`" (tailcallhq/forgecode#2107), "tool_use ids were found without
 *   tool_result blocks immediately after" (anthropics/claude-code#8210), "String should match pattern '^[a-zA-Z0-9_-]+$'" for call ids
 *   (maximhq/bifrost#5097)
 */
export const ANTHROPIC_WIRE_RULES: WireRules = {
  name: "anthropic",
  firstMessage: "user",
  lastMessage: "not-assistant",
  emptyContent: "reject",
  malformedText: "reject",
  resultPlacement: "right-after-call",
  trailingReasoning: "reject",
  resultImages: "accept",
  sameRole: "accept",
  callIds: "word-characters",
  maximumCallIdChars: null,
  maximumMessages: 100_000,
};

/** Longest name of a tool: platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools. */
export const MAXIMUM_TOOL_NAME_CHARS = 128;
