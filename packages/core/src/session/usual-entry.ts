import type { SessionEntry } from "../entry.ts";
import type { JsonValue } from "../json.ts";
import { isRecord } from "../json.ts";
import type { AssistantMessage, Message, TextPart, ToolCallPart, ToolResultMessage, UserMessage } from "../message/message.ts";
import type { PathAccess } from "../tool.ts";
import type { Usage } from "../usage.ts";

/**
 * The entry that a log's line has, if it is one of those that nearly all lines are: a message of texts, calls and readable reasoning, or a usage
 * report. What it gives is what {@link sessionEntrySchema} gives, in a tenth of its time; `null` leaves a value to the schema, which alone refuses one.
 */
export function usualEntry(value: unknown): SessionEntry | null {
  if (!isRecord(value)) return null;
  if (value.type === "message") {
    const message = hasKeys(value, 2) ? usualMessage(value.message) : null;
    return message === null ? null : { type: "message", message };
  }
  return value.type === "usage" ? usualReport(value) : null;
}

type Fields = { readonly [key: string]: unknown };

/** True for a value that has so many keys: if each of those that are asked for is there, it has no other. */
function hasKeys(value: Fields, count: number): boolean {
  let found = 0;
  for (const _ in value) found += 1;
  return found === count;
}

function usualMessage(value: unknown): Message | null {
  if (!isRecord(value)) return null;
  switch (value.role) {
    case "user":
      return usualUser(value);
    case "assistant":
      return usualReply(value);
    case "tool-result":
      return usualResult(value);
    default:
      return null;
  }
}

function usualUser(value: Fields): UserMessage | null {
  const { id, origin, atMs } = value;
  const parts = allOf(value.parts, usualText);
  if (parts === null || !isId(id) || !isUserOrigin(origin) || !isCount(atMs) || !hasKeys(value, 5)) return null;
  return { role: "user", id, origin, parts, atMs };
}

function usualReply(value: Fields): AssistantMessage | null {
  const { id, origin, modelId, requestId, stopReason, atMs } = value;
  const parts = allOf(value.parts, usualReplyPart);
  if (parts === null || !isId(id) || !isReplyOrigin(origin) || !isTextOrNull(modelId) || !isTextOrNull(requestId)) return null;
  if (!isStopReason(stopReason) || !isCount(atMs) || !hasKeys(value, 8)) return null;
  return { role: "assistant", id, origin, parts, modelId, requestId, stopReason, atMs };
}

function usualResult(value: Fields): ToolResultMessage | null {
  const { id, callId, toolName, isError, category, atMs } = value;
  const parts = allOf(value.parts, usualText);
  if (parts === null || !isId(id) || !isId(callId) || !isText(toolName) || typeof isError !== "boolean") return null;
  if (!isId(category) || !isCount(atMs) || !hasKeys(value, 8)) return null;
  return { role: "tool-result", id, callId, toolName, isError, category, parts, atMs };
}

function usualText(value: Fields): TextPart | null {
  const { text } = value;
  return value.type === "text" && isText(text) && hasKeys(value, 2) ? { type: "text", text } : null;
}

function usualReplyPart(value: Fields): AssistantMessage["parts"][number] | null {
  switch (value.type) {
    case "text":
      return usualText(value);
    case "tool-call":
      return usualCall(value);
    case "reasoning": {
      const { text, opaque } = value;
      return isText(text) && isFlatJson(opaque) && hasKeys(value, 3) ? { type: "reasoning", text, opaque } : null;
    }
    default:
      return null;
  }
}

function usualCall(value: Fields): ToolCallPart | null {
  const { callId, toolName, argumentsJson } = value;
  const paths = allOf(value.paths, usualPath);
  if (paths === null || !isId(callId) || !isText(toolName) || !isText(argumentsJson) || !hasKeys(value, 5)) return null;
  return { type: "tool-call", callId, toolName, argumentsJson, paths };
}

function usualPath(value: Fields): PathAccess | null {
  const { path, access } = value;
  return isText(path) && (access === "read" || access === "modify") && hasKeys(value, 2) ? { path, access } : null;
}

function usualReport(value: Fields): SessionEntry | null {
  const { requestId, modelId, throughMessageId, overheadHash, viewHash, atMs } = value;
  const usage = usualUsage(value.usage);
  if (usage === null || !isId(requestId) || !isText(modelId) || !isTextOrNull(throughMessageId)) return null;
  if (!isTextOrNull(overheadHash) || !isTextOrNull(viewHash) || !isCount(atMs) || !hasKeys(value, 8)) return null;
  return { type: "usage", requestId, modelId, throughMessageId, overheadHash, viewHash, usage, atMs };
}

function usualUsage(value: unknown): Usage | null {
  if (!isRecord(value) || !isRecord(value.input) || !isRecord(value.output) || !isRecord(value.billed)) return null;
  const { raw } = value;
  const { totalTokens, uncachedTokens, cacheReadTokens, cacheWriteTokens, cacheWriteOneHourTokens } = value.input;
  const { totalTokens: outputTokens, reasoningTokens } = value.output;
  const { inputTokens, outputTokens: billedTokens } = value.billed;
  if (!isCount(totalTokens) || !isCount(uncachedTokens) || !isCount(cacheReadTokens) || !isCount(cacheWriteTokens)) return null;
  if (!isCount(cacheWriteOneHourTokens) || !isCount(outputTokens) || !isCount(reasoningTokens)) return null;
  if (!isCount(inputTokens) || !isCount(billedTokens) || !isFlatJson(raw)) return null;
  if (!hasKeys(value, 4) || !hasKeys(value.input, 5) || !hasKeys(value.output, 2) || !hasKeys(value.billed, 2)) return null;
  return {
    input: { totalTokens, uncachedTokens, cacheReadTokens, cacheWriteTokens, cacheWriteOneHourTokens },
    output: { totalTokens: outputTokens, reasoningTokens },
    billed: { inputTokens, outputTokens: billedTokens },
    raw,
  };
}

/** Each item read; `null` if the value is no list, or one of them is not usual. */
function allOf<Item>(value: unknown, read: (fields: Fields) => Item | null): readonly Item[] | null {
  if (!Array.isArray(value)) return null;
  const items: Item[] = [];
  for (const each of value) {
    const item = isRecord(each) ? read(each) : null;
    if (item === null) return null;
    items.push(item);
  }
  return items;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isCount(value: unknown): value is number | null {
  return value === null || Number.isFinite(value);
}

/** How deep a vendor's own object is: two levels in what they send (2026). */
const FLAT_LEVELS = 3;

/** True for JSON that is not nested deeper than vendors' objects. */
function isFlatJson(value: unknown, levels: number = FLAT_LEVELS): value is JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (levels === 0 || typeof value !== "object") return false;
  for (const item of Object.values(value)) if (!isFlatJson(item, levels - 1)) return false;
  return true;
}

function isUserOrigin(value: unknown): value is UserMessage["origin"] {
  return (
    value === "human" ||
    value === "command" ||
    value === "injected" ||
    value === "declared" ||
    value === "summary" ||
    value === "notice"
  );
}

function isReplyOrigin(value: unknown): value is AssistantMessage["origin"] {
  return value === "model" || value === "summary" || value === "notice";
}

function isStopReason(value: unknown): value is AssistantMessage["stopReason"] {
  switch (value) {
    case null:
    case "end":
    case "tool-calls":
    case "length":
    case "refusal":
    case "aborted":
    case "error":
    case "other":
      return true;
    default:
      return false;
  }
}
