import { CHAT_MESSAGE_RULES } from "./chat-message-rules.ts";
import { readChatRequest } from "./chat-request.ts";
import { CHAT_TEMPLATE_RULES } from "./chat-template-rules.ts";
import { MESSAGES_BLOCK_RULES } from "./messages-block-rules.ts";
import { readMessagesRequest } from "./messages-request.ts";
import { MESSAGES_TURN_RULES } from "./messages-turn-rules.ts";
import { RESPONSES_ITEM_RULES } from "./responses-item-rules.ts";
import { RESPONSES_AGAIN_RULES } from "./responses-needed-rules.ts";
import { readResponsesRequest } from "./responses-request.ts";
import { judge, type VendorViolation } from "./vendor-rule.ts";

export { validateDeclared } from "./declared-rules.ts";
export type { VendorViolation } from "./vendor-rule.ts";

/** Which server a Chat Completions request is for. */
export interface ChatServer {
  /**
   * "any": OpenAI, which takes turns in any order. "alternating": servers that render the request by a chat template, as those of
   * Mistral and vLLM do: one system message in front, then a user and the assistant in turn. Left out, "any".
   */
  readonly turns?: "any" | "alternating";
}

/** Which server a Responses request is for. */
export interface ResponsesServer {
  /** "again": a server of another maker that numbers its calls anew. Left out, "once". */
  readonly ids?: "once" | "again";
}

/** Finds faults in a body that the Anthropic Messages API would refuse and the simulator does not look at; none for a body that it takes. */
export function validateMessagesRequest(body: unknown): readonly VendorViolation[] {
  return judge([...MESSAGES_TURN_RULES, ...MESSAGES_BLOCK_RULES], readMessagesRequest(body));
}

/** Finds faults in a body that the OpenAI Chat Completions API, or a server with a chat template, would refuse and the simulator does not look at. */
export function validateChatRequest(body: unknown, { turns = "any" }: ChatServer = {}): readonly VendorViolation[] {
  const rules = [...CHAT_MESSAGE_RULES, ...(turns === "alternating" ? CHAT_TEMPLATE_RULES : [])];
  return judge(rules, readChatRequest(body));
}

/** Finds faults in a body that the OpenAI Responses API would refuse and the simulator does not look at. */
export function validateResponsesRequest(body: unknown, { ids = "once" }: ResponsesServer = {}): readonly VendorViolation[] {
  const items =
    ids === "once"
      ? RESPONSES_ITEM_RULES
      : [...RESPONSES_ITEM_RULES.filter(({ id }) => id !== "call-id-unique"), ...RESPONSES_AGAIN_RULES];
  return judge(items, readResponsesRequest(body));
}
