import { type ImagePart, type TextPart, UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import { contentParts } from "../content-parts.ts";
import { documentImporter, headMessages, listSessions, type MessageList } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { imageFromUrl } from "../image.ts";
import type { Importer } from "../importer.ts";
import {
  callDraft,
  type LogItem,
  type ReplyPart,
  type ResultItem,
  replyItem,
  resultItem,
  textPart,
  unreadItem,
  userItem,
} from "../log-items.ts";

const PART_TYPES = /^(?:tool-call|tool-result|reasoning|file|tool-approval-request|tool-approval-response)$/;

/** Message lists of the AI SDK: model messages, or UI messages with parts. */
export const aiSdkImporter: Importer = documentImporter({
  format: "ai-sdk",
  description: "Message list of the AI SDK: model messages or UI messages",
  recognises: (head) => {
    const messages = headMessages(head);
    const parts = messages.flatMap((message) => recordsAt(message, "content"));
    return messages.some(isUiMessage) || parts.some((part) => PART_TYPES.test(stringAt(part, "type") ?? ""));
  },
  sessions: (documents) => listSessions(documents, listItems, systemOf),
});

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
    if (message.role !== "user") return [unreadItem(`role ${message.role}`)];
    return [userItem("human", contentParts(message.content))];
  });
}

function assistantItems(message: Fields, modelId: string | null): readonly LogItem[] {
  const text = stringAt(message, "content");
  const parts = text === null ? recordsAt(message, "content").flatMap(replyPart) : [textPart(text)];
  const usage = aiSdkUsageOf(recordAt(message, "usage")) ?? UNREPORTED_USAGE;
  return [
    ...unreadParts(recordsAt(message, "content")),
    replyItem(parts, usage, { sourceId: stringAt(message, "id"), modelId }),
    ...recordsAt(message, "content").flatMap(toolResult),
  ];
}

function replyPart(part: Fields): readonly ReplyPart[] {
  switch (part.type) {
    case "text":
      return [textOrSummary(part)];
    case "reasoning":
      return [{ type: "reasoning", text: stringAt(part, "text") ?? "", opaque: null }];
    case "tool-call": {
      const args = recordAt(part, "input") ?? recordAt(part, "args");
      return [callOf(part, stringAt(part, "toolName") ?? "", args)];
    }
    case "tool-result":
    case "tool-approval-request":
      return [];
    default:
      return [{ type: "reasoning", text: "", opaque: jsonValueOf(part) }];
  }
}

/** A text, or the summary of Anthropic's own compaction, which the SDK gives as one. */
function textOrSummary(part: Fields): ReplyPart {
  const metadata = recordAt(part, "providerMetadata") ?? recordAt(part, "providerOptions");
  const text = stringAt(part, "text") ?? "";
  return recordAt(metadata, "anthropic")?.type === "compaction" ? { type: "compaction", summary: text } : textPart(text);
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

/** True for a UI message: an id and parts in place of content. */
function isUiMessage(message: Fields): boolean {
  return (
    Array.isArray(message.parts) &&
    typeof message.role === "string" &&
    recordsAt(message, "parts").every((part) => typeof part.type === "string")
  );
}

/** The items of a UI message. `step-start` separates the calls of an assistant's message; a call and its result are one part. */
function uiMessageItems(message: Fields): readonly LogItem[] {
  const parts = recordsAt(message, "parts");
  const sourceId = stringAt(message, "id");
  if (message.role !== "assistant") {
    return [
      ...unreadParts(parts),
      userItem(message.role === "user" ? "human" : "injected", parts.flatMap(inputPart), { sourceId }),
    ];
  }
  return stepsOf(parts).flatMap((step, index) => [
    ...unreadParts(step),
    replyItem(step.flatMap(shownPart), UNREPORTED_USAGE, { sourceId: index === 0 ? sourceId : null }),
    ...step.flatMap(shownResult),
  ]);
}

/** Parts that are read, and parts that send nothing (ai 7). */
const KNOWN_PARTS = /^(?:text|reasoning(?:-file)?|file|source|custom|step-start|(?:source|data|tool|dynamic)-.+)$/;

function unreadParts(parts: readonly Fields[]): readonly LogItem[] {
  return parts.filter(({ type }) => !KNOWN_PARTS.test(String(type))).map(({ type }) => unreadItem(`block ${type}`));
}

function stepsOf(parts: readonly Fields[]): readonly (readonly Fields[])[] {
  const steps: Fields[][] = [];
  for (const part of parts) {
    if (part.type === "step-start" || steps.length === 0) steps.push([]);
    if (part.type !== "step-start") steps.at(-1)?.push(part);
  }
  return steps.filter((step) => step.length > 0);
}

function inputPart(part: Fields): readonly (TextPart | ImagePart)[] {
  if (part.type === "text") return [textPart(stringAt(part, "text") ?? "")];
  return part.type === "file" ? [imageFromUrl(stringAt(part, "url") ?? "", stringAt(part, "mediaType"))] : [];
}

function toolNameOf(part: Fields): string | null {
  const type = stringAt(part, "type") ?? "";
  if (type === "dynamic-tool") return stringAt(part, "toolName") ?? "";
  return type.startsWith("tool-") ? type.slice("tool-".length) : null;
}

function shownPart(part: Fields): readonly ReplyPart[] {
  if (part.type === "text") return [textOrSummary(part)];
  if (part.type === "reasoning") return [{ type: "reasoning", text: stringAt(part, "text") ?? "", opaque: null }];
  const toolName = toolNameOf(part);
  if (toolName === null) return [];
  return [callOf(part, toolName, recordAt(part, "input"))];
}

/** A call of a part; arguments that are no object stay as they are. */
function callOf(part: Fields, toolName: string, args: Fields | null): ReplyPart {
  const argumentsJson = JSON.stringify(args ?? part.input ?? {});
  return callDraft({}, { callId: stringAt(part, "toolCallId") ?? "", toolName, argumentsJson, args });
}

function shownResult(part: Fields): readonly LogItem[] {
  if (toolNameOf(part) === null) return [];
  const callId = stringAt(part, "toolCallId") ?? "";
  if (part.state === "output-available") return [resultItem(callId, outputParts(part.output))];
  if (part.state !== "output-error" && part.state !== "output-denied") return [];
  return [resultItem(callId, [textPart(stringAt(part, "errorText") ?? "")], { isError: true })];
}

/** Reads a tool's output as the model reads it: text as it is, content parts each, any other value as JSON. */
function outputParts(value: unknown): ResultItem["parts"] {
  if (typeof value === "string") return [textPart(value)];
  const isContent =
    Array.isArray(value) && recordsAt({ value }, "value").some((part) => part.type === "text" || part.type === "media");
  return isContent ? contentParts(value) : [textPart(JSON.stringify(value ?? ""))];
}
