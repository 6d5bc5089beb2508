import { UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import { replyPartsOfBlocks } from "../anthropic-blocks.ts";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, listSessions, type MessageList } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt, stringsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { type LogItem, objectCall, type ReplyPart, replyItem, resultItem, unreadItem, userItem } from "../log-items.ts";

const TYPES: readonly string[] = ["human", "ai", "tool", "system"];

/** Message lists of LangChain and LangGraph: dictionaries `{type, data}`, flat messages, or serialised constructors. */
export const langChainImporter: Importer = documentImporter({
  format: "langchain",
  description: "Message list of LangChain or LangGraph: [{type, data}], [{type, content}] or serialised constructors",
  recognises: (head) => {
    const messages = headMessages(head);
    return (
      messages.some((message) => TYPES.includes(typeOf(message))) &&
      messages.every((message) => bodyOf(message).content !== undefined)
    );
  },
  sessions: (documents) => listSessions(documents, ({ messages }) => messages.flatMap(messageItems), systemOf),
});

function systemOf({ messages: [first], system }: MessageList): string {
  return first !== undefined && typeOf(first) === "system" ? (stringAt(bodyOf(first), "content") ?? "") : system;
}

function bodyOf(message: Fields): Fields {
  return recordAt(message, "data") ?? recordAt(message, "kwargs") ?? message;
}

/** The type by its name, or by that of its class in lists that were serialised as constructors. */
function typeOf(message: Fields): string {
  const name = message.type === "constructor" ? stringsAt(message, "id").at(-1) : stringAt(message, "type");
  return (name ?? "")
    .replace(/Message(?:Chunk)?$/, "")
    .replace("Function", "tool")
    .toLowerCase();
}

function messageItems(message: Fields, index: number): readonly LogItem[] {
  const body = bodyOf(message);
  const from = { sourceId: stringAt(body, "id") };
  switch (typeOf(message)) {
    case "human":
      return [userItem("human", contentParts(body.content), from)];
    case "system":
      return index === 0 ? [] : [userItem("injected", contentParts(body.content), from)];
    case "tool":
      return [
        resultItem(stringAt(body, "tool_call_id") ?? "", contentParts(body.content), {
          ...from,
          isError: body.status === "error",
        }),
      ];
    case "ai":
      return [aiItem(body, from.sourceId)];
    default:
      return [unreadItem(`type ${typeOf(message)}`)];
  }
}

function aiItem(body: Fields, sourceId: string | null): LogItem {
  const metadata = recordAt(body, "response_metadata");
  const modelId = stringAt(metadata, "model_name") ?? stringAt(metadata, "model");
  const callOf = (call: Fields) => objectCall({}, stringAt(call, "id"), stringAt(call, "name"), recordAt(call, "args"));
  const calls = recordsAt(body, "tool_calls").map(callOf);
  return replyItem([...contentReplyParts(body.content), ...calls], usageMetadata(recordAt(body, "usage_metadata")), {
    sourceId,
    modelId,
  });
}

/** Blocks of calls, which `tool_calls` repeats. */
const CALL_BLOCK = /^(?:tool_use|tool_call|tool_call_chunk|function_call|functionCall|input_json_delta)$/;

/** Text and reasoning of the content; other blocks are read as Anthropic's. */
function contentReplyParts(content: unknown): readonly ReplyPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return recordsAt({ content }, "content").flatMap((block): readonly ReplyPart[] => {
    const text = stringAt(block, "reasoning");
    if (text !== null) return [{ type: "reasoning", text, opaque: stringAt(block, "signature") }];
    return CALL_BLOCK.test(stringAt(block, "type") ?? "") ? [] : replyPartsOfBlocks({}, [block]);
  });
}

/** The prompt is inclusive of tokens read from and written to a cache. */
function usageMetadata(usage: Fields | null): Usage {
  const totalInputTokens = numberAt(usage, "input_tokens");
  if (totalInputTokens === null) return UNREPORTED_USAGE;
  const details = recordAt(usage, "input_token_details");
  const hourTokens = numberAt(details, "ephemeral_1h_input_tokens");
  // If writes are split by their time to live, their sum may be left out.
  const split = hourTokens === null ? 0 : hourTokens + (numberAt(details, "ephemeral_5m_input_tokens") ?? 0);
  return usageOf({
    totalInputTokens,
    cacheReadTokens: numberAt(details, "cache_read"),
    cacheWriteTokens: numberAt(details, "cache_creation") || split || null,
    cacheWriteOneHourTokens: hourTokens,
    outputTokens: numberAt(usage, "output_tokens"),
    reasoningTokens: numberAt(recordAt(usage, "output_token_details"), "reasoning"),
    raw: jsonValueOf(usage),
  });
}
