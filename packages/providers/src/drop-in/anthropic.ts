import type Anthropic from "@anthropic-ai/sdk";
import {
  type AssistantMessage,
  type Message,
  type ToolResultMessage,
  textOf,
  toolCallsOf,
  type UserMessage,
} from "@plimsoll/core";
import { isRecord, type MessageDraft } from "@plimsoll/core/extend";
import { anthropicUsage, decodeSummary, replyParts } from "../anthropic/decode.ts";
import { ANTHROPIC_WIRE_RULES, isSummaryBlock, messageParams } from "../anthropic/encode.ts";
import { refuseUnsupported, type SdkUse } from "../client/supported.ts";
import { type Fields, piecesAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { wireCallId } from "../wire/tools.ts";
import type { TurnRules } from "../wire/turns.ts";
import { type ArrayCompactor, createArrayCompactor } from "./array-compactor.ts";
import { changedTurn, hasMedia, leftPieces, piecesLeft } from "./array-items.ts";
import { contentParts, mediaParts } from "./media-parts.ts";
import type { CompactorOptions } from "./request.ts";
import type { WireArray } from "./wire-array.ts";
import { changedPieces, declaredByRole, replyDraft, resultDraft, textParts, userDraft, WHOLE_ITEMS } from "./wire-array.ts";

/**
 * Compacts an array of Anthropic messages that you resend whole at each call. System text and tools count as overhead.
 *
 * @throws PlimsollError `bad-input` if the SDK is installed in an unsupported version, unless it is `unused`.
 */
export function createMessagesCompactor(
  options: CompactorOptions,
  sdk: SdkUse = "used",
): ArrayCompactor<Anthropic.MessageParam, Anthropic.Message> {
  refuseUnsupported("@anthropic-ai/sdk", sdk);
  return createArrayCompactor(ANTHROPIC_ARRAY, options);
}

/**
 * Messages of this wire in turn. The agent's declaration in the middle comes by itself behind the user and before the assistant:
 * platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages, read in November 2026.
 */
const MESSAGES_TURNS: TurnRules<Anthropic.MessageParam> = {
  roleOf: ({ role }) => role,
  said: (role, text) => ({ role, content: [{ type: "text", text }] }),
  join: (first, second) => {
    if (first.role === "system" && second.role === "system")
      return { ...second, content: [...partsIn(first.content), ...partsIn(second.content)] };
    if (first.role !== "user" || second.role !== "user") return null;
    return { ...second, content: [...partsIn(first.content), ...partsIn(second.content)] };
  },
  userAfterTool: "accept",
  isSummary: ({ content }) => isSummaryBlock(content[0]),
  system: "after-user",
};

const ANTHROPIC_ARRAY: WireArray<Anthropic.MessageParam, Anthropic.Message> = {
  ...WHOLE_ITEMS,
  declares: (item) => declaredByRole(item, (each) => contentParts(each, "content", partsOf)),
  drafts: (items, { toolNameOf }) => items.flatMap((item) => draftsOf(item, toolNameOf)),
  encode: encoded,
  changed: ([item], viewed) => {
    if (item === undefined) return null;
    const [reply] = viewed;
    return reply?.role === "assistant" ? changedReply(item, reply) : changedContent(item, viewed);
  },
  left: ([item], isThere) => {
    if (item?.role !== "user" || typeof item.content === "string") return null;
    return [{ ...item, content: [...leftPieces(item.content, isThere, ({ type }) => type === "tool_result")] }];
  },
  turns: MESSAGES_TURNS,
  summary: decodeSummary,
  isVendorState: (item) => recordsAt(item, "content").some(({ type }) => type === "compaction"),
  observed: (answer) => ({ requestId: answer.id, modelId: answer.model, usage: anthropicUsage(recordAt(answer, "usage")) }),
};

/** A reply that lost reasoning and nothing else: its other blocks as they came. `null` for any other change. */
function changedReply(item: Anthropic.MessageParam, { parts }: AssistantMessage): readonly Anthropic.MessageParam[] | null {
  if (item.role !== "assistant" || typeof item.content === "string") return null;
  const isLeft = piecesLeft(recordsAt(item, "content").map(replyParts), parts);
  return isLeft === null ? null : [{ role: "assistant", content: item.content.filter((_, index) => isLeft[index]) }];
}

/** An item of results and of the person's words with them, each block with media unchanged but for the removed ones; `null` for one without media. */
function changedContent(item: Anthropic.MessageParam, viewed: readonly Message[]): readonly Anthropic.MessageParam[] | null {
  const own = draftsOf(item, () => "");
  if (item.role !== "user" || typeof item.content === "string" || !own.some(({ parts }) => hasMedia(parts))) return null;
  const isResult = ({ type }: Anthropic.ContentBlockParam) => type === "tool_result";
  return [{ ...item, content: changedTurn(item.content, viewed, { ...PIECES, isResult, changedResult }) }];
}

function changedResult(block: Anthropic.ContentBlockParam, result: ToolResultMessage): Anthropic.ContentBlockParam {
  if (block.type !== "tool_result") return block;
  if (typeof block.content === "string" || block.content === undefined) return { ...block, content: textOf(result) };
  return { ...block, content: changedPieces(block.content, result.parts, PIECES) };
}

const PIECES = {
  partsOf: (block: unknown) => (isRecord(block) ? partsOf(block) : []),
  made: (text: string): Anthropic.TextBlockParam => ({ type: "text", text }),
};

/**
 * The caller's own items keep their call ids in any form, and so do their results. The notice for a list that begins with a reply is put before the whole array, not
 * before a part of it.
 */
function encoded(messages: readonly Message[]): readonly Anthropic.MessageParam[] {
  const own = new Map<string, string>();
  for (const message of messages)
    for (const { callId } of message.role === "tool-result" ? [message] : toolCallsOf(message))
      own.set(wireCallId(callId, ANTHROPIC_WIRE_RULES), callId);
  const params = messageParams({ system: "", tools: [], messages, dynamicContext: null }).map((param) => {
    if (param.role === "system" || typeof param.content === "string") return param;
    const content = param.content.map((block) => {
      if (block.type === "tool_use") return { ...block, id: own.get(block.id) ?? block.id };
      return block.type === "tool_result" ? { ...block, tool_use_id: own.get(block.tool_use_id) ?? block.tool_use_id } : block;
    });
    return { ...param, content };
  });
  return messages[0]?.role === "assistant" && params[0]?.role === "user" ? params.slice(1) : params;
}

function partsIn<Block>(content: string | readonly Block[]): readonly (Block | Anthropic.TextBlockParam)[] {
  if (typeof content !== "string") return content;
  return content.trim() === "" ? [] : [{ type: "text", text: content }];
}

/** Of a user's item the results first, then the person's words with them. */
function draftsOf(item: Anthropic.MessageParam, toolNameOf: (callId: string) => string): readonly MessageDraft[] {
  const blocks = piecesAt(item, "content");
  if (item.role === "assistant") return [replyDraft(blocks.flatMap(replyParts))];
  const results = blocks.flatMap((block) => {
    if (block.type !== "tool_result") return [];
    const callId = stringAt(block, "tool_use_id") ?? "";
    const call = { callId, toolName: toolNameOf(callId), isError: block.is_error === true };
    return [resultDraft(call, contentParts(block, "content", partsOf))];
  });
  const said = blocks.flatMap((block) => (block.type === "tool_result" ? [] : partsOf(block)));
  return said.length === 0 && results.length > 0 ? results : [...results, userDraft(said)];
}

function partsOf(block: Fields): UserMessage["parts"] {
  if (block.type === "text") return textParts(stringAt(block, "text") ?? "");
  const source = recordAt(block, "source");
  const data = stringAt(source, "data");
  if (source?.type === "text") return textParts(data ?? "");
  if (source?.type === "content") return recordsAt(source, "content").flatMap(partsOf);
  return mediaParts(block);
}
