import { UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, type MessageList, messageLists } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import {
  callDraft,
  type LogItem,
  type ReplyPart,
  type ResultItem,
  replyItem,
  resultItem,
  textPart,
  userItem,
} from "../log-items.ts";
import { isUiMessage, outputParts, uiMessageItems } from "./ai-sdk-ui.ts";

const PART_TYPES = [
  "tool-call",
  "tool-result",
  "reasoning",
  "file",
  "tool-approval-request",
  "tool-approval-response",
] as const;

/** Message lists of the AI SDK: model messages, or UI messages with parts. */
export const aiSdkImporter: Importer = documentImporter({
  format: "ai-sdk",
  description: "Message list of the AI SDK: model messages or UI messages",
  numbering: "if-several",
  recognises: (head) => {
    const messages = headMessages(head);
    return messages.some(isUiMessage) || messages.some(hasOwnPart);
  },
  sessions: (documents) =>
    messageLists(documents).map((list) => ({ start: { system: systemOf(list), tools: list.tools }, items: listItems(list) })),
});

function hasOwnPart(message: Fields): boolean {
  return recordsAt(message, "content").some((part) => PART_TYPES.some((type) => type === part.type));
}

function systemOf(list: MessageList): string {
  const [first] = list.messages;
  return first?.role === "system" ? (stringAt(first, "content") ?? "") : list.system;
}

function listItems(list: MessageList): readonly LogItem[] {
  return list.messages.flatMap((message, index) => {
    if (isUiMessage(message)) return uiMessageItems(message);
    if (message.role === "assistant") return assistantItems(message, list.modelId);
    if (message.role === "tool") return recordsAt(message, "content").flatMap(toolResult);
    if (message.role === "system") return index === 0 ? [] : [userItem("injected", contentParts(message.content))];
    return [userItem("human", contentParts(message.content))];
  });
}

function assistantItems(message: Fields, modelId: string | null): readonly LogItem[] {
  const text = stringAt(message, "content");
  const parts = text === null ? recordsAt(message, "content").flatMap(replyPart) : [textPart(text)];
  const usage = aiSdkUsageOf(recordAt(message, "usage")) ?? UNREPORTED_USAGE;
  return [
    replyItem(parts, usage, { sourceId: stringAt(message, "id"), modelId }),
    ...recordsAt(message, "content").flatMap(toolResult),
  ];
}

function replyPart(part: Fields): readonly ReplyPart[] {
  switch (part.type) {
    case "text":
      return [textPart(stringAt(part, "text") ?? "")];
    case "reasoning":
      return [{ type: "reasoning", text: stringAt(part, "text") ?? "", opaque: null }];
    case "tool-call": {
      const args = recordAt(part, "input") ?? recordAt(part, "args");
      const callId = stringAt(part, "toolCallId") ?? "";
      return [
        callDraft(
          {},
          { callId, toolName: stringAt(part, "toolName") ?? "", argumentsJson: JSON.stringify(args ?? part.input ?? {}), args },
        ),
      ];
    }
    case "tool-result":
    case "tool-approval-request":
      return [];
    default:
      return [{ type: "reasoning", text: "", opaque: jsonValueOf(part) }];
  }
}

function toolResult(part: Fields): readonly ResultItem[] {
  if (part.type !== "tool-result") return [];
  const output = recordAt(part, "output");
  const type = stringAt(output, "type") ?? "";
  const isError = type.startsWith("error-") || type === "execution-denied" || part.isError === true;
  return [resultItem(stringAt(part, "toolCallId") ?? "", outputParts(output?.value ?? output ?? part.result), { isError })];
}

/** The usage of a step as the AI SDK gives it, with details (version 6) or without; `null` if no prompt is reported. */
function aiSdkUsageOf(usage: Fields | null): Usage | null {
  const totalInputTokens = numberAt(usage, "inputTokens") ?? numberAt(usage, "promptTokens");
  if (totalInputTokens === null) return null;
  const input = recordAt(usage, "inputTokenDetails");
  const output = recordAt(usage, "outputTokenDetails");
  return usageOf({
    totalInputTokens,
    cacheReadTokens: numberAt(input, "cacheReadTokens") ?? numberAt(usage, "cachedInputTokens"),
    cacheWriteTokens: numberAt(input, "cacheWriteTokens"),
    cacheWriteOneHourTokens: numberAt(recordAt(recordAt(usage, "raw"), "cache_creation"), "ephemeral_1h_input_tokens"),
    outputTokens: numberAt(usage, "outputTokens") ?? numberAt(usage, "completionTokens"),
    reasoningTokens: numberAt(output, "reasoningTokens") ?? numberAt(usage, "reasoningTokens"),
    raw: jsonValueOf(usage),
  });
}
