import { UNREPORTED_USAGE, type Usage, type UserMessage, usageOf } from "@plimsoll/core";
import type { MessageDraft, ToolTable } from "@plimsoll/core/extend";
import { contentParts } from "../content-parts.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import {
  type CallDraft,
  callDraft,
  type LogItem,
  type ReplyPart,
  replyItem,
  resultItem,
  textPart,
  userItem,
} from "../log-items.ts";
import { messageParts } from "../reply-parts.ts";
import type { Resolve } from "./attachments.ts";

/** Tools of Inspect whose arguments do not tell what they do; all others are known by their arguments. */
const TOOLS: ToolTable = { bash_session: "command", web_search: "search", think: "other", submit: "other" };

/** The parts of an assistant's message (`ChatMessageAssistant`). What a provider's own tools did is opaque, and sent back. */
export function replyPartsIn(message: Fields): readonly ReplyPart[] {
  const said = stringAt(message, "content");
  const parts = said === null ? recordsAt(message, "content").map(replyPart) : [textPart(said)];
  return [...parts, ...callsIn(message)];
}

function replyPart(content: Fields): ReplyPart {
  if (content.type === "text") return textPart(stringAt(content, "text") ?? "");
  if (content.type !== "reasoning") return { type: "reasoning", text: "", opaque: jsonValueOf(content) };
  const isSealed = content.redacted === true;
  const text = isSealed ? (stringAt(content, "summary") ?? "") : (stringAt(content, "reasoning") ?? "");
  return { type: "reasoning", text, opaque: isSealed ? stringAt(content, "reasoning") : stringAt(content, "signature") };
}

/** The calls of an assistant's message. */
function callsIn(message: Fields): readonly CallDraft[] {
  return recordsAt(message, "tool_calls").map((call) => {
    const args = recordAt(call, "arguments") ?? {};
    return callDraft(TOOLS, {
      callId: stringAt(call, "id") ?? "",
      toolName: stringAt(call, "function") ?? "",
      argumentsJson: JSON.stringify(args),
      args,
    });
  });
}

/** The system text that a list of messages begins with. */
export function systemIn(messages: readonly Fields[], resolve: Resolve): string {
  const end = messages.findIndex(({ role }) => role !== "system");
  const leading = end < 0 ? messages : messages.slice(0, end);
  return leading.map((message) => textOf(resolve(message.content))).join("\n\n");
}

function textOf(content: unknown): string {
  return contentParts(content)
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .join("\n");
}

/** Messages of a sample without its events: nothing is reported by call. */
export function messageItems(messages: readonly Fields[], resolve: Resolve): readonly LogItem[] {
  const start = messages.findIndex(({ role }) => role !== "system");
  return start < 0
    ? []
    : messages
        .slice(start)
        .flatMap((message, index) => itemsOf(message, { resolve, isFirst: index === 0, usage: UNREPORTED_USAGE }));
}

/** The place of a message: `usage` is `null` for a reply that was no reported call. */
interface Place {
  readonly resolve: Resolve;
  readonly isFirst: boolean;
  readonly usage: Usage | null;
}

/** The items of one message. */
export function itemsOf(given: Fields, { resolve, isFirst, usage }: Place): readonly LogItem[] {
  const message = resolved(given, resolve);
  const from = { sourceId: stringAt(message, "id") };
  if (message.role === "assistant")
    return [replyItem(replyPartsIn(message), usage, { ...from, modelId: stringAt(message, "model") })];
  const parts = contentParts(message.content);
  if (message.role !== "tool") return [userItem(originOf(message, isFirst), parts, from)];
  return [resultItem(stringAt(message, "tool_call_id") ?? "", resultParts(message), { ...from, isError: isFailed(message) })];
}

/** A message with its attachments in place. */
export function resolved(message: Fields, resolve: Resolve): Fields {
  return recordAt({ message: resolve(message) }, "message") ?? message;
}

/** Reads a result; a failed call's words if it gave nothing else. */
function resultParts(message: Fields): ReturnType<typeof contentParts> {
  const parts = contentParts(message.content);
  const said = stringAt(recordAt(message, "error"), "message");
  const isEmpty = parts.every((part) => part.type === "text" && part.text === "");
  return isEmpty && said !== null ? [textPart(said)] : parts;
}

function isFailed(message: Fields): boolean {
  return recordAt(message, "error") !== null;
}

/** The sample's input is a person's; what an agent puts in between is not. Inspect marks the summaries of its compactions. */
function originOf(message: Fields, isFirst: boolean): UserMessage["origin"] {
  if (recordAt(message, "metadata")?.summary === true) return "summary";
  return message.role === "user" && (isFirst || message.source === "input") ? "human" : "injected";
}

/** A prompt as a history of messages; results of calls that are in none of them are left out. */
export function historyDrafts(messages: readonly Fields[], resolve: Resolve): readonly MessageDraft[] {
  const calls = new Map<string, CallDraft>();
  return messages.flatMap((given, index): readonly MessageDraft[] => {
    const message = resolved(given, resolve);
    if (message.role === "assistant") {
      for (const call of callsIn(message)) calls.set(call.callId, call);
      const parts = messageParts(replyPartsIn(message));
      const modelId = stringAt(message, "model");
      return [{ role: "assistant", origin: "model", parts, modelId, requestId: null, stopReason: null, atMs: null }];
    }
    if (message.role !== "tool") {
      const parts = contentParts(message.content);
      return parts.length === 0 ? [] : [{ role: "user", origin: originOf(message, index === 0), parts, atMs: null }];
    }
    const call = calls.get(stringAt(message, "tool_call_id") ?? "");
    if (call === undefined) return [];
    const { callId, toolName, category } = call;
    const isError = isFailed(message);
    return [{ role: "tool-result", callId, toolName, isError, category, parts: resultParts(message), atMs: null }];
  });
}

/**
 * Reads the report of a call (`ModelUsage`). Providers differ in whether `input_tokens` counts the cache; the total tells: it is the sum of all. `null`
 * if no prompt is reported.
 */
export function usageIn(usage: Fields | null): Usage | null {
  const input = numberAt(usage, "input_tokens");
  const outputTokens = numberAt(usage, "output_tokens");
  const cacheReadTokens = numberAt(usage, "input_tokens_cache_read");
  const cacheWriteTokens = numberAt(usage, "input_tokens_cache_write");
  const reasoningTokens = numberAt(usage, "reasoning_tokens");
  const cacheTokens = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  if (input === null || input + cacheTokens === 0) return null;
  const beyondOutput = (numberAt(usage, "total_tokens") ?? 0) - (outputTokens ?? 0);
  const isInclusive = input >= cacheTokens && [beyondOutput, beyondOutput - (reasoningTokens ?? 0)].includes(input);
  return usageOf({
    totalInputTokens: isInclusive ? input : input + cacheTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens,
    reasoningTokens,
    raw: jsonValueOf(usage),
  });
}
