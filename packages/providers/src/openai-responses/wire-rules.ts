import type { WireRules } from "@plimsoll/core/internal";

/**
 * What the OpenAI Responses API accepts. Sources:
 *
 * - platform.openai.com/docs/api-reference/responses/create: calls and their outputs are items of their own, joined by `call_id`; an
 *   output may hold images; a call id has at most 64 characters
 * - its errors: "Item 'rs_…' of type 'reasoning' was provided without its required following item" (vercel/ai#7099), "No tool output
 *   found for function call", "No tool call found for function call output with call_id" (leookun/cursor-byok#307)
 */
export const OPENAI_RESPONSES_WIRE_RULES: WireRules = {
  name: "openai-responses",
  firstMessage: "any",
  lastMessage: "any",
  emptyContent: "accept",
  malformedText: "reject",
  resultPlacement: "anywhere-after-call",
  trailingReasoning: "reject",
  resultImages: "accept",
  sameRole: "accept",
  callIds: "any",
  maximumCallIdChars: 64,
  maximumMessages: null,
};

/** Longest name of a tool: platform.openai.com/docs/api-reference/responses/create. */
export const MAXIMUM_TOOL_NAME_CHARS = 128;
