import type { ImagePart, Message, ModelLimits, OutputCategory, SessionEntry, TextPart, Usage } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry, isRecord, type JsonObject, type JsonValue, toolShapeOf } from "@plimsoll/core/extend";
import { jsonValueOf, parseRecord } from "../fields.ts";
import { NOT_RECORDED, TOOLS } from "./contents.ts";

/** The sources of steps: subagents by the call that started each, and whether reports are in the form of ATIF already. */
export interface StepNeeds {
  readonly subagents: ReadonlyMap<string, readonly string[]>;
  readonly isFromAtif: boolean;
}

type UsageEntry = Extract<SessionEntry, { type: "usage" }>;
type AssistantMessage = Extract<Message, { role: "assistant" }>;

/** A step to which results are still added. */
interface OpenStep {
  readonly fields: JsonObject;
  readonly results: JsonObject[];
}

/**
 * The steps of a log, without the system's. A compaction is a step by the RFC's section VII: what it observed is the summary if the
 * context begins with one, and the messages that stayed follow it as copied steps, so that a reader who leaves copied steps out reads
 * each message once.
 */
export function stepsOf(entries: readonly SessionEntry[], needs: StepNeeds): readonly JsonObject[] {
  const steps: OpenStep[] = [];
  const pen = createPen(steps, { ...needs, categories: categoriesIn(entries) });
  let view = EMPTY_VIEW;
  let call: UsageEntry | null = null;
  let limits: ModelLimits | null = null;
  for (const entry of entries) {
    view = foldEntry(view, entry);
    const isReply =
      entry.type === "message" && entry.message.role === "assistant" && entry.message.requestId === call?.requestId;
    if (call !== null && !isReply && entry.type !== "attempt") {
      pen.silentReply(call, limits);
      call = null;
      limits = null;
    }
    if (entry.type === "model-change") limits = entry.limits;
    else if (entry.type === "usage") call = entry;
    else if (entry.type === "message") {
      pen.message(entry.message, { call, limits });
      if (isReply) limits = null;
      if (isReply) call = null;
    } else if (entry.type === "compaction")
      pen.boundary(view.messages.slice(), { atMs: entry.atMs, tokensBefore: entry.record.tokensBefore });
    else if (entry.type === "revert") pen.boundary(view.messages.slice(), { atMs: entry.atMs, tokensBefore: null });
  }
  if (call !== null) pen.silentReply(call, limits);
  return steps.map(({ fields, results }) => (results.length === 0 ? fields : { ...fields, observation: { results } }));
}

/** The category of each call's result, which the format has no field for. */
function categoriesIn(entries: readonly SessionEntry[]): ReadonlyMap<string, OutputCategory> {
  const messages = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  return new Map(messages.flatMap((message) => (message.role === "tool-result" ? [[message.callId, message.category]] : [])));
}

interface Pen {
  message(message: Message, reply: ReplyFacts | "copied"): void;
  /** A call whose reply had nothing to show. */
  silentReply(call: UsageEntry, limits: ModelLimits | null): void;
  boundary(after: readonly Message[], facts: { readonly atMs: number | null; readonly tokensBefore: number | null }): void;
}

/** The call that a reply came from, `null` if none was reported, and the model's limits if they are told from here on. */
interface ReplyFacts {
  readonly call: UsageEntry | null;
  readonly limits: ModelLimits | null;
}

function createPen(steps: OpenStep[], needs: StepNeeds & { readonly categories: ReadonlyMap<string, OutputCategory> }): Pen {
  const stepOfCall = new Map<string, OpenStep>();
  const push = (fields: { readonly [key: string]: JsonValue }, results: JsonObject[] = []) => {
    const step = { fields: told(fields), results };
    steps.push(step);
    return step;
  };
  const message: Pen["message"] = (given, reply) => {
    const copied = reply === "copied" ? true : null;
    const timestamp = timeOf(given.atMs);
    if (given.role === "user") {
      const extra = given.origin === "human" ? null : { plimsoll: { origin: given.origin } };
      push({ timestamp, source: "user", message: contentOf(given.parts), is_copied_context: copied, extra });
    } else if (given.role === "assistant") {
      const report = reply === "copied" ? { is_copied_context: true } : reportOf(reply, needs.isFromAtif);
      const step = push({
        timestamp,
        source: "agent",
        model_name: given.modelId,
        ...replyFields(given, needs.categories),
        ...report,
      });
      for (const part of given.parts) if (part.type === "tool-call") stepOfCall.set(part.callId, step);
    } else {
      const refs = reply === "copied" ? undefined : needs.subagents.get(given.callId);
      const result = told({
        source_call_id: given.callId,
        content: given.parts.length === 0 ? null : contentOf(given.parts),
        subagent_trajectory_ref: refs?.map((id) => ({ trajectory_id: id })) ?? null,
        extra: given.isError ? { is_error: true } : null,
      });
      stepOfCall.get(given.callId)?.results.push(result);
    }
  };
  return {
    message,
    silentReply: (call, limits) => {
      const modelId = call.modelId === "unknown" ? null : call.modelId;
      const report = reportOf({ call, limits }, needs.isFromAtif);
      push({ timestamp: timeOf(call.atMs), source: "agent", model_name: modelId, message: "", ...report });
    },
    boundary: (after, { atMs, tokensBefore }) => {
      const [first] = after;
      const summary = first?.role === "user" && first.origin === "summary" ? first : null;
      const management = told({ type: "compaction", boundary: "replace", tokens_before: tokensBefore });
      const fields = {
        timestamp: timeOf(atMs),
        source: "system",
        message: "Context compacted",
        extra: { context_management: management },
      };
      push(fields, summary === null ? [] : [{ content: contentOf(summary.parts) }]);
      for (const kept of summary === null ? after : after.slice(1)) message(kept, "copied");
    },
  };
}

/** Fields without those that say nothing. */
export function told(fields: { readonly [key: string]: JsonValue }): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** A time as the format has it; `null` if it is not known. */
export function timeOf(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}

/** The types of images that the format takes (its `ImageSource`). */
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** A text alone as it is, anything else as a list. A file of a type that the format does not have is told by its type. */
function contentOf(parts: readonly (TextPart | ImagePart)[]): JsonValue {
  const [first] = parts;
  if (parts.length === 1 && first?.type === "text") return first.text;
  return parts.map((part): JsonObject => {
    if (part.type === "text") return { type: "text", text: part.text };
    const { mediaType, source } = part;
    const type = mediaType.startsWith("audio/") ? "audio" : "image";
    if (type === "image" && !IMAGE_TYPES.includes(mediaType)) return { type: "text", text: `<${mediaType}>` };
    return { type, source: { media_type: mediaType, path: source.kind === "url" ? source.url : NOT_RECORDED } };
  });
}

function replyFields(message: AssistantMessage, categories: ReadonlyMap<string, OutputCategory>): JsonObject {
  const texts = message.parts.flatMap((part) => (part.type === "text" ? [part] : []));
  const reasoning = message.parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : []));
  const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  const toolCalls = calls.map(({ callId, toolName, argumentsJson, paths }) => {
    const args = parseRecord(argumentsJson);
    const shape = toolShapeOf(TOOLS, toolName, args);
    const category = categories.get(callId) ?? shape.category;
    const own = told({
      arguments_json: args === null || JSON.stringify(args) !== argumentsJson ? argumentsJson : null,
      category: category === shape.category ? null : category,
      paths: JSON.stringify(paths) === JSON.stringify(shape.paths) ? null : paths.map(({ path, access }) => ({ path, access })),
    });
    return told({
      tool_call_id: callId,
      function_name: toolName,
      arguments: jsonOf(argumentsJson),
      extra: Object.keys(own).length === 0 ? null : { plimsoll: own },
    });
  });
  return told({
    message: texts.length === 0 ? "" : contentOf(texts),
    reasoning_content: reasoning.length === 0 ? null : reasoning.join("\n\n"),
    tool_calls: toolCalls.length === 0 ? null : toolCalls,
  });
}

/** The object of a JSON text; an empty one for a text that holds none. */
export function jsonOf(text: string): JsonValue {
  return jsonValueOf(parseRecord(text) ?? {});
}

/** Writes the report of a reply's call into its step. */
function reportOf({ call, limits }: ReplyFacts, isFromAtif: boolean): JsonObject {
  if (call === null) return { extra: { plimsoll: { is_alone: true } } };
  const { contextWindowTokens, maxOutputTokens } = limits ?? { contextWindowTokens: null, maxOutputTokens: null };
  const own = told({ context_window_tokens: contextWindowTokens, max_output_tokens: maxOutputTokens });
  return told({ ...metricsOf(call.usage, isFromAtif), extra: limits === null ? null : { plimsoll: { limits: own } } });
}

function metricsOf({ input, output, raw }: Usage, isFromAtif: boolean): JsonObject {
  if (isFromAtif && isRecord(raw)) {
    const { llm_call_count: count = 1, ...metrics } = raw;
    return told({ llm_call_count: jsonValueOf(count), metrics: jsonValueOf(metrics) });
  }
  if (input.totalTokens === null && output.totalTokens === null) return { llm_call_count: 1 };
  const extra = told({ reasoning_tokens: output.reasoningTokens, cache_creation_input_tokens: input.cacheWriteTokens });
  const metrics = told({
    prompt_tokens: input.totalTokens,
    completion_tokens: output.totalTokens,
    cached_tokens: input.cacheReadTokens,
    extra: Object.keys(extra).length === 0 ? null : extra,
  });
  return { llm_call_count: 1, metrics };
}
