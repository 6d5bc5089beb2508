import type Anthropic from "@anthropic-ai/sdk";
import type { AnthropicBody } from "./body.ts";

/** How long what is written to the cache lives after its last use. */
export type CacheTimeToLive = "5m" | "1h";

/** Most breakpoints that a request may have: platform.claude.com/docs/en/build-with-claude/prompt-caching. */
const MAXIMUM_BREAKPOINTS = 4;

/** Messages of the body where breakpoints are wanted besides the overhead and the end, the most needed first; -1 for none. */
export type WantedPlaces = readonly number[];

/**
 * The body with its cache breakpoints, the most needed first: the system text (with the tools before it), the end of the messages, the places
 * that are wanted, and the tools alone. The vendor writes and reads at breakpoints, and looks back 20 blocks from one. What comes after
 * the last breakpoint is not written.
 */
export function withCacheBreakpoints(body: AnthropicBody, timeToLive: CacheTimeToLive, wanted: WantedPlaces): AnthropicBody {
  const mark: Anthropic.CacheControlEphemeral = { type: "ephemeral", ...(timeToLive === "1h" ? { ttl: timeToLive } : {}) };
  const { system, tools, messages } = body;
  const hasSystem = system !== undefined && typeof system !== "string";
  const known = new Set([messages.length - 1, ...wanted].filter((index) => index >= 0));
  const places = [...known].slice(0, MAXIMUM_BREAKPOINTS - 1);
  const marksTools = !hasSystem || places.length < MAXIMUM_BREAKPOINTS - 1;
  return {
    ...body,
    ...(tools === undefined || !marksTools ? {} : { tools: markedLast(tools, mark) }),
    ...(hasSystem ? { system: markedLast(system, mark) } : {}),
    messages: messages.map((message, index) => (places.includes(index) ? markedMessage(message, mark) : message)),
  };
}

/** The index of the user's message before the newest reply, which ended the request before; -1 for none. */
export function previousEnd(messages: readonly Anthropic.MessageParam[]): number {
  return messages.findLastIndex((message) => message.role === "assistant") - 1;
}

function markedLast<Item extends object>(items: readonly Item[], mark: Anthropic.CacheControlEphemeral): Item[] {
  return items.map((item, index) => (index === items.length - 1 ? { ...item, cache_control: mark } : item));
}

function markedMessage(message: Anthropic.MessageParam, mark: Anthropic.CacheControlEphemeral): Anthropic.MessageParam {
  const isTurn = message.role === "user" || message.role === "assistant";
  if (!isTurn || typeof message.content === "string") return message;
  const last = message.content.at(-1);
  // Reasoning cannot carry a breakpoint.
  if (last === undefined || last.type === "thinking" || last.type === "redacted_thinking") return message;
  return { role: message.role, content: markedLast(message.content, mark) };
}
