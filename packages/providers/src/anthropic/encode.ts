import type Anthropic from "@anthropic-ai/sdk";
import type {
  AssistantMessage,
  Context,
  ImagePart,
  Message,
  ModelRequest,
  ReasoningPart,
  ToolResultMessage,
  ToolSpec,
  UserMessage,
} from "@plimsoll/core";
import { sharedPrefixCount, type WireRules, wellFormedContext } from "@plimsoll/core/extend";
import { argumentsObject, parseRecord, stringAt, vendorBlockOf } from "../fields.ts";
import { imagePlaceholder, sendableImage } from "../wire/images.ts";
import { wireCallId } from "../wire/tools.ts";
import { FIRST_MESSAGE_NOTICE } from "../wire/turns.ts";

interface AnthropicEncoding {
  /** `null` sends no cache breakpoints. */
  readonly cacheTimeToLive: CacheTimeToLive | null;
  /** Where this request was edited since an earlier one; `null` or left out for one that only grew. */
  readonly edit?: EditPlaces | null;
}

/**
 * The request on the Messages wire. Neighbours of one role become one message, with the results of a batch first; the fixed notice
 * comes first if the user does not; the dynamic context comes last, behind the last cache breakpoint.
 */
export function encodeAnthropic(request: ModelRequest, encoding: AnthropicEncoding): AnthropicBody {
  const { modelId, maxOutputTokens } = request;
  const context = wellFormedContext(request.context);
  const { cacheTimeToLive, edit = null } = encoding;
  const merged = mergedMessages(context);
  const body: AnthropicBody = {
    model: modelId,
    max_tokens: maxOutputTokens,
    ...(context.system === "" ? {} : { system: [{ type: "text", text: context.system }] }),
    ...(context.tools.length === 0 ? {} : { tools: context.tools.map(toolParam) }),
    messages: merged.map(({ role, content }) => ({ role, content })),
  };
  const cached =
    cacheTimeToLive === null ? body : withCacheBreakpoints(body, cacheTimeToLive, wantedPlaces(body.messages, merged, edit));
  if (context.dynamicContext === null || context.dynamicContext.trim() === "") return cached;
  const block = { type: "text", text: context.dynamicContext } as const;
  const last = cached.messages.at(-1);
  if (last?.role !== "user" || typeof last.content === "string")
    return { ...cached, messages: [...cached.messages, { role: "user", content: [block] }] };
  return { ...cached, messages: [...cached.messages.slice(0, -1), { role: "user", content: [...last.content, block] }] };
}

/**
 * An appending request reads to the end of the one before, however many blocks it appends; an edited one reads an earlier write from before the edit,
 * and writes through it for the next edit. The fixed notice is all that two requests share if a summary comes first.
 */
function wantedPlaces(
  messages: readonly Anthropic.MessageParam[],
  merged: readonly MergedMessage[],
  edit: EditPlaces | null,
): WantedPlaces {
  const placeOf = (messageCount: number | null) =>
    messageCount === null ? -1 : merged.findLastIndex(({ count }) => count > 0 && count <= messageCount);
  const notice = merged[0]?.count === 0 ? 0 : -1;
  return edit === null
    ? [previousEnd(messages), notice]
    : [placeOf(edit.readable), placeOf(edit.settled), notice, previousEnd(messages)];
}

function toolParam(tool: ToolSpec): Anthropic.Tool {
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { ...parseRecord(tool.parametersJson), type: "object" },
  };
}

interface MergedMessage {
  readonly role: "user" | "assistant";
  content: Anthropic.ContentBlockParam[];
  count: number;
}

/** The messages without the dynamic context. */
export function messageParams(context: Context): Anthropic.MessageParam[] {
  return mergedMessages(context).map(({ role, content }) => ({ role, content }));
}

/**
 * Neighbours of one role as one message. The fixed notice, which holds none of the context's text, comes before a reply that has no user before it and
 * begins the list, or begins with reasoning: a message that has reasoning begins with it.
 */
function mergedMessages(context: Context): readonly MergedMessage[] {
  const merged: MergedMessage[] = [];
  for (const [index, message] of context.messages.entries()) {
    const isResult = message.role === "tool-result";
    const content = isResult ? [resultBlock(message)] : message.role === "user" ? contentBlocks(message) : replyBlocks(message);
    if (content.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = merged.at(-1);
    // The vendor's summary is a message of its own.
    if (last !== undefined && isSummaryBlock(last.content[0])) merged.push({ role, content, count: index + 1 });
    else if (role === "assistant" && last?.role === role && hasReasoning(content))
      merged.push({ ...firstMessageNotice(), count: last.count }, { role, content, count: index + 1 });
    else if (last?.role === role) {
      last.content.push(...content);
      last.count = index + 1;
    } else merged.push({ role, content, count: index + 1 });
  }
  // Results come first.
  for (const { role, content } of merged)
    if (role === "user") content.sort((a, b) => Number(b.type === "tool_result") - Number(a.type === "tool_result"));
  if (merged[0]?.role === "assistant" && !isSummaryBlock(merged[0].content[0]))
    merged.unshift({ ...firstMessageNotice(), count: 0 });
  return merged;
}

function firstMessageNotice(): { role: "user"; content: Anthropic.TextBlockParam[] } {
  return { role: "user", content: [{ type: "text", text: FIRST_MESSAGE_NOTICE }] };
}

/**
 * The rules of the Anthropic Messages API. Sources:
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

/** A request's body on the Messages wire without the fields that only streaming decides. */
export type AnthropicBody = Omit<Anthropic.MessageCreateParamsNonStreaming, "stream">;

/** Text without a visible character is left out: the wire rejects it. */
function contentBlocks(message: UserMessage | ToolResultMessage) {
  return message.parts.flatMap((part) => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text } as const];
    return [imageBlock(part) ?? ({ type: "text", text: imagePlaceholder(part) } as const)];
  });
}

function resultBlock(message: ToolResultMessage): Anthropic.ToolResultBlockParam {
  const content = contentBlocks(message);
  const [only] = content;
  return {
    type: "tool_result",
    tool_use_id: wireCallId(message.callId, ANTHROPIC_WIRE_RULES),
    ...(content.length === 0 ? {} : { content: content.length === 1 && only?.type === "text" ? only.text : content }),
    ...(message.isError ? { is_error: true } : {}),
  };
}

/** True for the block of a summary that the vendor wrote on request: platform.claude.com/docs/en/build-with-claude/compaction-on-demand. */
export function isSummaryBlock(block: unknown): block is Anthropic.ContentBlockParam {
  return stringAt(block, "type") === "compaction" && stringAt(block, "signature") !== null;
}

function replyBlocks(message: AssistantMessage): Anthropic.ContentBlockParam[] {
  const block = vendorBlockOf(message);
  if (isSummaryBlock(block)) return [block];
  return message.parts.flatMap((part): Anthropic.ContentBlockParam[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    if (part.type === "reasoning") return reasoningBlocks(part);
    const id = wireCallId(part.callId, ANTHROPIC_WIRE_RULES);
    return [{ type: "tool_use", id, name: part.toolName, input: argumentsObject(part.argumentsJson) }];
  });
}

/** Media types of images that the wire takes inline: platform.claude.com/docs/en/build-with-claude/vision. */
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

function imageBlock(part: ImagePart): Anthropic.ImageBlockParam | Anthropic.DocumentBlockParam | null {
  const image = sendableImage(part);
  if (image === null) return null;
  const isPdf = part.mediaType === "application/pdf";
  if (image.kind === "url") {
    const source = { type: "url", url: image.url } as const;
    if (isPdf) return { type: "document", source };
    return part.mediaType.startsWith("image/") ? { type: "image", source } : null;
  }
  if (isPdf) return { type: "document", source: { type: "base64", media_type: "application/pdf", data: image.data } };
  const mediaType = IMAGE_TYPES.find((type) => type === image.mediaType);
  return mediaType === undefined
    ? null
    : { type: "image", source: { type: "base64", media_type: mediaType, data: image.data } };
}

/**
 * The reasoning as the wire wants it back. `opaque` is the vendor's own block without its text, as decoding keeps it. Reasoning of other
 * wires, and reasoning whose signature was not kept, is left out: without its signature it is rejected.
 */
function reasoningBlocks(part: ReasoningPart): Anthropic.ContentBlockParam[] {
  const signature = stringAt(part.opaque, "signature");
  const data = stringAt(part.opaque, "data");
  switch (stringAt(part.opaque, "type")) {
    case "thinking":
      return signature === null ? [] : [{ type: "thinking", thinking: part.text, signature }];
    case "redacted_thinking":
      return data === null ? [] : [{ type: "redacted_thinking", data }];
    default:
      return [];
  }
}

function hasReasoning(content: Anthropic.MessageParam["content"]): boolean {
  return typeof content !== "string" && content.some(({ type }) => type === "thinking" || type === "redacted_thinking");
}

/** How long a cache write lives after its last use. */
export type CacheTimeToLive = "5m" | "1h";

/** Most breakpoints that a request may have: platform.claude.com/docs/en/build-with-claude/prompt-caching. */
const MAXIMUM_BREAKPOINTS = 4;

/** Messages of the body where breakpoints are wanted in addition to the overhead and the end, the most needed first; -1 for none. */
type WantedPlaces = readonly number[];

/**
 * The body with its cache breakpoints, the most needed first: the system text (with the tools before it), the end of the messages, the wanted places,
 * and the tools by themselves. The vendor writes and reads at breakpoints, and looks back 20 blocks from one. Text after the last breakpoint is not
 * written.
 */
function withCacheBreakpoints(body: AnthropicBody, timeToLive: CacheTimeToLive, wanted: WantedPlaces): AnthropicBody {
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
function previousEnd(messages: readonly Anthropic.MessageParam[]): number {
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
interface EditPlaces {
  /** The longest prefix that an earlier request wrote to the cache and this one begins with, too; `null` for none. */
  readonly readable: number | null;
  /** Through the last message that the edit changed: the next edit will usually leave it unchanged; `null` for none. */
  readonly settled: number | null;
}

/** Remembers sent requests and their cache writes, to find the place of an edit. */
export interface SentPrefixes {
  /** The places of this request, which is remembered; `null` for one that only grew, or has nothing in common with an earlier one. */
  placesOf(messages: readonly Message[]): EditPlaces | null;
}

/** Sessions that one client serves at once and distinguishes: an agent, its summariser, sub-agents; chosen. */
const MAXIMUM_SESSIONS = 4;

/** A session's newest request, and the prefixes of it that the cache was written for, in ascending order. */
interface SentSession {
  readonly messages: readonly Message[];
  readonly written: readonly number[];
}

const NOTHING_SENT: SentSession = { messages: [], written: [] };

/** Distinguished by identity: untouched messages keep theirs through compactions. */
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
 * the next edit usually changes that reply's results.
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
