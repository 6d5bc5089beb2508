import type Anthropic from "@anthropic-ai/sdk";
import type { AnthropicBody } from "./body.ts";

/** How long what is written to the cache lives after its last use. */
export type CacheTimeToLive = "5m" | "1h";

/**
 * The body with its four cache breakpoints: the last tool, the system text, the end of the messages, and the place where the messages
 * of the request before ended. The vendor looks back 20 blocks from a breakpoint
 * (platform.claude.com/docs/en/build-with-claude/prompt-caching); the fourth one makes an appending request read the cache however
 * many blocks it appends. What comes after the last breakpoint is not written.
 */
export function withCacheBreakpoints(body: AnthropicBody, timeToLive: CacheTimeToLive): AnthropicBody {
  const mark: Anthropic.CacheControlEphemeral = { type: "ephemeral", ...(timeToLive === "1h" ? { ttl: timeToLive } : {}) };
  const { system, tools, messages } = body;
  const ends = [previousEnd(messages), messages.length - 1];
  return {
    ...body,
    ...(tools === undefined ? {} : { tools: markedLast(tools, mark) }),
    ...(system === undefined || typeof system === "string" ? {} : { system: markedLast(system, mark) }),
    messages: messages.map((message, index) => (ends.includes(index) ? markedMessage(message, mark) : message)),
  };
}

/** The index of the user's message before the newest reply, which ended the request before; -1 for none. */
function previousEnd(messages: readonly Anthropic.MessageParam[]): number {
  return messages.findLastIndex((message) => message.role === "assistant") - 1;
}

function markedLast<Item extends object>(items: readonly Item[], mark: Anthropic.CacheControlEphemeral): Item[] {
  return items.map((item, index) => (index === items.length - 1 ? { ...item, cache_control: mark } : item));
}

function markedMessage(message: Anthropic.MessageParam, mark: Anthropic.CacheControlEphemeral): Anthropic.MessageParam {
  if (message.role === "system" || typeof message.content === "string") return message;
  const last = message.content.at(-1);
  // Reasoning cannot carry a breakpoint.
  if (last === undefined || last.type === "thinking" || last.type === "redacted_thinking") return message;
  return { role: message.role, content: markedLast(message.content, mark) };
}
