import type { AssistantMessage, UserMessage } from "@plimsoll/core";
import { wellFormed } from "@plimsoll/core/internal";
import type OpenAI from "openai";
import type { Fields } from "../fields.ts";
import { recordAt, recordsAt, stringAt } from "../fields.ts";
import { chatUsage } from "../openai-chat/decode.ts";
import { CHAT_TURNS, chatMessages } from "../openai-chat/encode.ts";
import type { ChatQuirks } from "../openai-chat/hosts.ts";
import { OPENAI_QUIRKS } from "../openai-chat/hosts.ts";
import { inTurn } from "../wire/turns.ts";
import type { ArrayCompactor } from "./array-compactor.ts";
import { createArrayCompactor } from "./array-compactor.ts";
import type { CompactorOptions } from "./array-conversations.ts";
import type { ItemGroup, WireArray } from "./wire-array.ts";
import { imageAt, textParts, UNKNOWN_REPLY, userDraft } from "./wire-array.ts";

export type { ArrayCompactor, ArrayRequest, ConversationOf } from "./array-compactor.ts";
export type { CompactorOptions, ConversationContext, ConversationLog, RequestFacts } from "./array-conversations.ts";

type ChatMessage = OpenAI.ChatCompletionMessageParam;

/** What a chat compactor is made of. */
export interface ChatCompactorOptions extends CompactorOptions {
  /** How the server differs from the vendor's own. */
  readonly quirks?: ChatQuirks;
}

/** Compacts an array of Chat Completions messages that is resent whole at each call. Its leading system messages stay as they are. */
export function createChatCompactor(options: ChatCompactorOptions): ArrayCompactor<ChatMessage, OpenAI.ChatCompletion> {
  return createArrayCompactor(chatArray(options.quirks ?? OPENAI_QUIRKS), options);
}

function chatArray(quirks: ChatQuirks): WireArray<ChatMessage, OpenAI.ChatCompletion> {
  return {
    groups,
    systemOf: (items) => {
      const end = items.findIndex(({ role }) => role !== "system" && role !== "developer");
      const system = end < 0 ? items : items.slice(0, end);
      return { items: wellFormed(system), text: system.map(textOf).join("\n") };
    },
    encode: (messages) =>
      chatMessages(
        { system: "", tools: [], messages, dynamicContext: null },
        // The caller's own items keep their ids, and so do their calls' results.
        { quirks: { ...quirks, maximumCallIdChars: null }, images: new Map() },
      ),
    joined: (items) => (quirks.roles === "alternate" ? inTurn(wellFormed(items), CHAT_TURNS) : wellFormed(items)),
    observed: ({ id, model, usage }) => ({ requestId: id, modelId: model, usage: chatUsage(recordAt({ usage }, "usage")) }),
  };
}

function groups(items: readonly ChatMessage[]): readonly ItemGroup<ChatMessage>[] {
  const toolNames = new Map<string, string>();
  return items.map((item) => {
    if (item.role === "assistant") {
      for (const call of recordsAt(item, "tool_calls"))
        toolNames.set(stringAt(call, "id") ?? "", stringAt(recordAt(call, "function"), "name") ?? "");
      return { items: [item], drafts: [{ ...UNKNOWN_REPLY, parts: replyParts(item) }] };
    }
    if (item.role !== "tool") return { items: [item], drafts: [userDraft(partsOf(item))] };
    const draft = {
      role: "tool-result",
      callId: item.tool_call_id,
      toolName: toolNames.get(item.tool_call_id) ?? "",
      isError: false,
      category: "generic",
      parts: partsOf(item),
      atMs: null,
    } as const;
    return { items: [item], drafts: [draft] };
  });
}

function replyParts(item: ChatMessage): AssistantMessage["parts"] {
  const reasoning = stringAt(item, "reasoning_content") ?? stringAt(item, "reasoning") ?? "";
  return [
    ...(reasoning === "" ? [] : [{ type: "reasoning", text: reasoning, opaque: null } as const]),
    ...textParts([textOf(item), stringAt(item, "refusal") ?? ""].filter((text) => text !== "").join("\n")),
    ...recordsAt(item, "tool_calls").map((call) => {
      const called = recordAt(call, "function");
      const names = { callId: stringAt(call, "id") ?? "", toolName: stringAt(called, "name") ?? "" };
      return { type: "tool-call", ...names, argumentsJson: stringAt(called, "arguments") ?? "", paths: [] } as const;
    }),
  ];
}

function textOf(item: ChatMessage): string {
  return (
    stringAt(item, "content") ??
    recordsAt(item, "content")
      .map((part) => stringAt(part, "text") ?? "")
      .join("\n")
  );
}

function partsOf(item: ChatMessage): UserMessage["parts"] {
  const text = stringAt(item, "content");
  return text === null ? recordsAt(item, "content").flatMap(partOf) : textParts(text);
}

/** A part that is no text and no image is kept as its JSON: it is only read to be measured. */
function partOf(part: Fields): UserMessage["parts"] {
  if (part.type === "text") return textParts(stringAt(part, "text") ?? "");
  const url = stringAt(recordAt(part, "image_url"), "url") ?? stringAt(recordAt(part, "file"), "file_data");
  return url === null ? textParts(JSON.stringify(part)) : [imageAt(url)];
}
