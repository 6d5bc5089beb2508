import { field, fieldText, itemsOf, type JsonNode, rootOf } from "./json-node.ts";

/** An assistant message with calls, and the tool messages that follow it directly. */
export interface CallRound {
  readonly node: JsonNode;
  readonly calls: readonly JsonNode[];
  readonly results: readonly JsonNode[];
}

/** A Chat Completions request as the vendor reads it. */
export interface ChatRequest {
  readonly messages: readonly JsonNode[];
  readonly rounds: readonly CallRound[];
}

/** Reads a body; parts of unknown shape are left out here and reported by the rules about shape. */
export function readChatRequest(body: unknown): ChatRequest {
  const messages = itemsOf(field(rootOf(body), "messages"));
  const rounds: { node: JsonNode; calls: readonly JsonNode[]; results: JsonNode[] }[] = [];
  let isOpen = false;
  for (const node of messages) {
    const calls = itemsOf(field(node, "tool_calls"));
    const round = isOpen ? rounds.at(-1) : undefined;
    if (roleOf(node) === "tool") {
      round?.results.push(node);
    } else {
      isOpen = roleOf(node) === "assistant" && calls.length > 0;
      if (isOpen) rounds.push({ node, calls, results: [] });
    }
  }
  return { messages, rounds };
}

/** The role of a message; empty if it has none. */
export function roleOf(message: JsonNode): string {
  return fieldText(message, "role");
}
