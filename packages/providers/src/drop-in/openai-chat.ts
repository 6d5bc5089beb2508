import type { AssistantMessage, UserMessage } from "@plimsoll/core";
import { canonicalJson, type MessageDraft, option } from "@plimsoll/core/extend";
import type OpenAI from "openai";
import { refuseUnsupported, type SdkUse } from "../client/supported.ts";
import { jsonValueOf, recordAt, recordsAt, stringAt, textAt } from "../fields.ts";
import { openAiUsage, replyParts } from "../openai-chat/decode.ts";
import { CHAT_TURNS, chatMessages } from "../openai-chat/encode.ts";
import { type ChatQuirks, OPENAI_QUIRKS } from "../openai-chat/hosts.ts";
import { inTurn } from "../wire/turns.ts";
import { type ArrayCompactor, createArrayCompactor } from "./array-compactor.ts";
import { contentParts, pieceParts } from "./media-parts.ts";
import { COMPACTOR_KEYS, type CompactorOptions } from "./request.ts";
import type { WireArray } from "./wire-array.ts";
import { changedPieces, declaredByRole, replyDraft, resultDraft, userDraft, WHOLE_ITEMS } from "./wire-array.ts";

type ChatMessage = OpenAI.ChatCompletionMessageParam;

interface ChatCompactorOptions extends CompactorOptions {
  /** How the server differs from the vendor's own. */
  readonly quirks?: ChatQuirks;
}

const CHAT_OPTIONS = option.schema<ChatCompactorOptions>({ ...COMPACTOR_KEYS, quirks: option.object.optional() });

/**
 * Compacts an array of Chat Completions messages that you resend whole at each call. Its leading system messages stay as they are.
 *
 * @throws PlimsollError `bad-input` if the SDK is installed in an unsupported version, unless it is `unused`.
 */
export function createChatCompactor(
  options: ChatCompactorOptions,
  sdk: SdkUse = "used",
): ArrayCompactor<ChatMessage, OpenAI.ChatCompletion> {
  refuseUnsupported("openai", sdk);
  option.check("a compactor", CHAT_OPTIONS, options);
  const { quirks = OPENAI_QUIRKS, ...own } = options;
  return createArrayCompactor(chatArray(quirks), own);
}

function chatArray(quirks: ChatQuirks): WireArray<ChatMessage, OpenAI.ChatCompletion> {
  return {
    ...WHOLE_ITEMS,
    tellsFailures: false,
    ...(quirks === OPENAI_QUIRKS ? { assumedModelId: "gpt-5" } : {}),
    declares: (item) => declaredByRole(item, partsOf),
    drafts: (items, { toolNameOf }) => items.map((item) => draftOf(item, toolNameOf)),
    // The caller's own items keep their ids, and so do their calls' results.
    encode: (messages) =>
      chatMessages({ system: "", tools: [], messages, dynamicContext: null }, { ...quirks, maximumCallIdChars: null }),
    changed: ([item], [viewed]) => {
      if (item?.role === "assistant" && viewed?.role === "assistant")
        return hasLostReasoning(item, viewed) ? [withoutReasoning(item)] : null;
      return item?.role === "user" && viewed?.role === "user" ? [changedSaid(item, viewed)] : null;
    },
    turns: CHAT_TURNS,
    joined: (items) => (quirks.roles === "alternate" ? inTurn(items, CHAT_TURNS) : items),
    observed: ({ id, model, usage }) => ({ requestId: id, modelId: model, usage: openAiUsage(recordAt({ usage }, "usage")) }),
  };
}

function changedSaid(item: OpenAI.ChatCompletionUserMessageParam, { parts }: UserMessage): ChatMessage {
  const content = typeof item.content === "string" ? [textPart(item.content)] : item.content;
  return { ...item, content: changedPieces(content, parts, { partsOf: pieceParts, made: textPart }) };
}

function textPart(text: string): OpenAI.ChatCompletionContentPartText {
  return { type: "text", text };
}

function hasLostReasoning(item: ChatMessage, { parts }: AssistantMessage): boolean {
  const own = replyParts({ ...item, content: textAt(item, "content") }).filter(({ type }) => type !== "reasoning");
  return canonicalJson(own) === canonicalJson(parts);
}

const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_details"] as const;

function withoutReasoning<Item extends ChatMessage>(item: Item): Item {
  const { content } = item;
  const copy = Object.assign({}, item, Array.isArray(content) ? { content: content.filter((each) => !isReasoning(each)) } : {});
  for (const field of REASONING_FIELDS) Reflect.deleteProperty(copy, field);
  return copy;
}

/** A piece of content that is reasoning: programs that change their wire leave such pieces there. */
function isReasoning(piece: { readonly type?: unknown }): boolean {
  return /thinking|reasoning|thought/.test(String(piece.type));
}

function draftOf(item: ChatMessage, toolNameOf: (callId: string) => string): MessageDraft {
  if (item.role === "assistant") {
    const thoughts = recordsAt(item, "content").filter(isReasoning);
    const parts = thoughts.map(
      (piece) => ({ type: "reasoning", text: stringAt(piece, "thinking") ?? "", opaque: jsonValueOf(piece) }) as const,
    );
    // The caller sends it again in the form in which it came.
    const own = replyParts({ ...item, content: textAt(item, "content") }).map((part) =>
      part.type === "reasoning" ? { ...part, opaque: part.opaque ?? { sent: "again" } } : part,
    );
    return replyDraft([...parts, ...own]);
  }
  if (item.role !== "tool") return userDraft(partsOf(item));
  return resultDraft({ callId: item.tool_call_id, toolName: toolNameOf(item.tool_call_id) }, partsOf(item));
}

function partsOf(item: ChatMessage): UserMessage["parts"] {
  return contentParts(item, "content");
}
