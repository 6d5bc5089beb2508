import type Anthropic from "@anthropic-ai/sdk";
import type { Message } from "@plimsoll/core";
import { sharedPrefixCount } from "@plimsoll/core/extend";
import type { AnthropicBody } from "./blocks.ts";

/** How long what is written to the cache lives after its last use. */
export type CacheTimeToLive = "5m" | "1h";

/** Most breakpoints that a request may have: platform.claude.com/docs/en/build-with-claude/prompt-caching. */
const MAXIMUM_BREAKPOINTS = 4;

/** Messages of the body where breakpoints are wanted in addition to the overhead and the end, the most needed first; -1 for none. */
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

/** Where a request was edited, as counts of leading messages. */
export interface EditPlaces {
  /** The longest prefix that an earlier request wrote to the cache and this one begins with, too; `null` for none. */
  readonly readable: number | null;
  /** Through the last message that the edit changed: the next edit will leave it alone, as a rule; `null` for none. */
  readonly settled: number | null;
}

/** Remembers what was sent and where the cache was written, to tell where a request was edited. */
export interface SentPrefixes {
  /** The places of this request, which is remembered; `null` for one that only grew, or has nothing in common with an earlier one. */
  placesOf(messages: readonly Message[]): EditPlaces | null;
}

/** Sessions that one client serves at once and that are told apart: an agent, its summariser, sub-agents; chosen. */
const MAXIMUM_SESSIONS = 4;

/** A session's newest request, and the prefixes of it that the cache was written for, in ascending order. */
interface SentSession {
  readonly messages: readonly Message[];
  readonly written: readonly number[];
}

const NOTHING_SENT: SentSession = { messages: [], written: [] };

/** Told apart by identity: untouched messages keep theirs through compactions. */
export function createSentPrefixes(): SentPrefixes {
  let sessions: readonly SentSession[] = [];
  return {
    placesOf: (messages) => {
      const shared = sessions.map((session) => sharedPrefixCount(session.messages, messages));
      const most = Math.max(0, ...shared);
      const session = (most === 0 ? goesOnFrom(sessions, messages) : sessions[shared.indexOf(most)]) ?? NOTHING_SENT;
      const isEdited = most < session.messages.length;
      const kept = isEdited ? session.written.filter((count) => count <= most) : session.written;
      const settled = isEdited ? settledCount(session.messages, messages) : null;
      const written = [...kept, ...(settled === null ? [] : [settled]), messages.length];
      sessions = [{ messages, written }, ...sessions.filter((each) => each !== session)].slice(0, MAXIMUM_SESSIONS);
      return isEdited ? { readable: kept.at(-1) ?? null, settled } : null;
    },
  };
}

/** The session whose newest message is kept, if the edit left nothing at the beginning. */
function goesOnFrom(sessions: readonly SentSession[], messages: readonly Message[]): SentSession | undefined {
  const known = new Set(messages);
  return sessions.find((session) => session.messages.slice(-1).some((message) => known.has(message)));
}

/**
 * Through the last message that is new before one that is known, at a place where a message ends on the wire, too, and through the reply behind it:
 * what is changed next, as a rule, are its results.
 */
function settledCount(before: readonly Message[], messages: readonly Message[]): number | null {
  const known = new Set(before);
  const lastKnown = messages.findLastIndex((message) => known.has(message));
  let count = messages.slice(0, lastKnown + 1).findLastIndex((message) => !known.has(message)) + 1;
  while (count > 0 && isReply(messages[count - 1]) === isReply(messages[count])) count -= 1;
  while (count > 0 && isReply(messages[count])) count += 1;
  return count === 0 ? null : count;
}

function isReply(message: Message | undefined): boolean {
  return message?.role === "assistant";
}
