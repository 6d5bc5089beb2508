import type Anthropic from "@anthropic-ai/sdk";
import type { Context, ModelRequest, ToolSpec } from "@plimsoll/core";
import { wellFormedContext } from "@plimsoll/core/extend";
import { parseRecord } from "../fields.ts";
import type { LoadedImages } from "../wire/images.ts";
import { FIRST_MESSAGE_NOTICE } from "../wire/turns.ts";
import { type AnthropicBody, blocksOf, hasReasoning } from "./blocks.ts";
import type { CacheTimeToLive, EditPlaces, WantedPlaces } from "./cache-breakpoints.ts";
import { previousEnd, withCacheBreakpoints } from "./cache-breakpoints.ts";

/** The options of encoding, in addition to the request. */
interface AnthropicEncoding {
  readonly images: LoadedImages;
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
  const { images, cacheTimeToLive, edit = null } = encoding;
  const merged = mergedMessages(context, images);
  const body: AnthropicBody = {
    model: modelId,
    max_tokens: maxOutputTokens,
    ...(context.system === "" ? {} : { system: [{ type: "text", text: context.system }] }),
    ...(context.tools.length === 0 ? {} : { tools: context.tools.map(toolParam) }),
    messages: merged.map(({ role, content }) => ({ role, content })),
  };
  const cached =
    cacheTimeToLive === null ? body : withCacheBreakpoints(body, cacheTimeToLive, wantedPlaces(body.messages, merged, edit));
  return withDynamicContext(cached, context.dynamicContext);
}

/**
 * An appending request reads where the one before ended, however many blocks it appends; an edited one reads what an earlier one wrote before
 * the edit, and writes through it for the next edit. The fixed notice is all that two requests share if a summary comes first.
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

/** A message as it is sent, and how many of the context's messages it and those before it hold. */
interface MergedMessage {
  readonly role: "user" | "assistant";
  content: Anthropic.ContentBlockParam[];
  count: number;
}

/** The messages without the dynamic context. */
export function messageParams(context: Context, images: LoadedImages): Anthropic.MessageParam[] {
  return mergedMessages(context, images).map(({ role, content }) => ({ role, content }));
}

/**
 * Neighbours of one role as one message. The fixed notice, which holds none of the context's, stands before a reply that has none of the user before it
 * and begins the list, or begins with reasoning: a message that has reasoning begins with it.
 */
function mergedMessages(context: Context, images: LoadedImages): readonly MergedMessage[] {
  const merged: MergedMessage[] = [];
  for (const [index, message] of context.messages.entries()) {
    const content = blocksOf(message, images);
    if (content.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = merged.at(-1);
    if (role === "assistant" && last?.role === role && hasReasoning(content))
      merged.push({ ...firstMessageNotice(), count: last.count }, { role, content, count: index + 1 });
    else if (last?.role === role) {
      last.content.push(...content);
      last.count = index + 1;
    } else merged.push({ role, content, count: index + 1 });
  }
  for (const message of merged) if (message.role === "user") message.content = resultsFirst(message.content);
  if (merged[0]?.role === "assistant") merged.unshift({ ...firstMessageNotice(), count: 0 });
  return merged;
}

/** The notice as a message. */
function firstMessageNotice(): { role: "user"; content: Anthropic.TextBlockParam[] } {
  return { role: "user", content: [{ type: "text", text: FIRST_MESSAGE_NOTICE }] };
}

function resultsFirst(blocks: Anthropic.ContentBlockParam[]): Anthropic.ContentBlockParam[] {
  const results = blocks.filter((block) => block.type === "tool_result");
  return results.length === 0 ? blocks : [...results, ...blocks.filter((block) => block.type !== "tool_result")];
}

function withDynamicContext(body: AnthropicBody, dynamicContext: string | null): AnthropicBody {
  if (dynamicContext === null || dynamicContext.trim() === "") return body;
  const block = { type: "text", text: dynamicContext } as const;
  const last = body.messages.at(-1);
  if (last?.role !== "user" || typeof last.content === "string")
    return { ...body, messages: [...body.messages, { role: "user", content: [block] }] };
  return { ...body, messages: [...body.messages.slice(0, -1), { role: "user", content: [...last.content, block] }] };
}
