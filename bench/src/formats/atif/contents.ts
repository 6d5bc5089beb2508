import { type ImagePart, type PathAccess, type TextPart, UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import type { ToolTable } from "@plimsoll/core/extend";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { imageFromUrl } from "../image.ts";
import { type CallDraft, callDraft, type ReplyPart, textPart } from "../log-items.ts";

/** Tools whose arguments do not tell what they do: Terminus 2 types into a terminal. All others are known by their arguments. */
export const TOOLS: ToolTable = { bash_command: "command" };

/** Reads the fields that a producer wrote under our name, into a place that the format leaves to it: those that the format has no field for. */
export function ownExtra(fields: Fields): Fields | null {
  return recordAt(recordAt(fields, "extra"), "plimsoll");
}

/** The path of an image that the log names without its bytes: the format asks for a path. */
export const NOT_RECORDED: string = "not-recorded";

/** Text, or since 1.6 a list of texts and images, since 1.8 of audio too: files beside the trajectory, by their path. */
export function contentOf(content: unknown): readonly (TextPart | ImagePart)[] {
  if (typeof content === "string") return [textPart(content)];
  return recordsAt({ content }, "content").map((part) => {
    const source = recordAt(part, "source");
    const text = stringAt(part, "text");
    if (source === null) return textPart(text ?? JSON.stringify(part));
    const path = stringAt(source, "path") ?? "";
    return imageFromUrl(path === NOT_RECORDED ? "" : path, stringAt(source, "media_type"));
  });
}

/** The reasoning, texts and calls of an agent's step. A file in a reply is told by its path, and a text that a converter made up is left out. */
export function replyParts(step: Fields): readonly ReplyPart[] {
  const reasoning = stringAt(step, "reasoning_content");
  const calls = callParts(step);
  const madeUp = new Set(calls.map(({ toolName, callId }) => `Executed ${toolName} ${callId}`));
  const texts = contentOf(step.message).map((part) => (part.type === "text" ? part : textPart(JSON.stringify(part.source))));
  return [
    ...(reasoning === null ? [] : [{ type: "reasoning" as const, text: reasoning, opaque: null }]),
    ...texts.filter(({ text }) => text.trim() !== "" && !madeUp.has(text)),
    ...calls,
  ];
}

/** The calls of an agent's step. Arguments that were no object are kept as they were written. */
export function callParts(step: Fields): readonly CallDraft[] {
  return recordsAt(step, "tool_calls").map((call) => {
    const args = recordAt(call, "arguments") ?? {};
    const own = ownExtra(call);
    const category = stringAt(own, "category");
    const draft = callDraft(TOOLS, {
      callId: stringAt(call, "tool_call_id") ?? "",
      toolName: stringAt(call, "function_name") ?? "",
      argumentsJson: stringAt(own, "arguments_json") ?? JSON.stringify(args),
      args,
    });
    return { ...draft, ...(category !== null && { category }), ...(Array.isArray(own?.paths) && { paths: pathsIn(own) }) };
  });
}

function pathsIn(own: Fields): readonly PathAccess[] {
  return recordsAt(own, "paths").flatMap((named) => {
    const path = stringAt(named, "path");
    const access = named.access === "modify" ? "modify" : "read";
    return path === null ? [] : [{ path, access }];
  });
}

/** The answer to one call of a step, or to none of them. */
export interface StepResult {
  readonly callId: string | null;
  readonly isError: boolean;
  readonly parts: readonly (TextPart | ImagePart)[];
}

/**
 * The results of a step. Some agents name no call: theirs answer the last calls that have none, in order, and the calls that are still
 * left then were answered with them, by nothing of their own. A result without any call left is none of a tool's.
 */
export function resultsOf(step: Fields): readonly StepResult[] {
  const results = recordsAt(recordAt(step, "observation"), "results").map((result) => ({
    callId: stringAt(result, "source_call_id"),
    isError: recordAt(result, "extra")?.is_error === true,
    parts: contentOf(result.content),
  }));
  const answered = new Set(results.map(({ callId }) => callId));
  const nameless = results.filter(({ callId }) => callId === null);
  const open = nameless.length === 0 ? [] : callParts(step).filter(({ callId }) => !answered.has(callId));
  const shift = open.length - nameless.length;
  const silent = open.slice(0, Math.max(0, shift)).map(({ callId }) => ({ callId, isError: false, parts: [] }));
  const joined = results.map((result) => {
    const callId = result.callId ?? open[nameless.indexOf(result) + shift]?.callId ?? null;
    return { ...result, callId };
  });
  return [...silent, ...joined];
}

/**
 * Reads the usage of a step's call: the prompt is inclusive of its cached part. A sum over several calls says what was paid and not how large a context
 * was. `null` for a step that reports nothing.
 */
export function usageIn(step: Fields): Usage | null {
  const metrics = recordAt(step, "metrics");
  if (metrics === null) return null;
  const extra = recordAt(metrics, "extra");
  const inputTokens = numberAt(metrics, "prompt_tokens") || null;
  const outputTokens = numberAt(metrics, "completion_tokens");
  const raw = jsonValueOf(metrics);
  const callCount = numberAt(step, "llm_call_count") ?? 1;
  if (callCount > 1) {
    return usageOf({ billed: { inputTokens, outputTokens }, raw: jsonValueOf({ ...metrics, llm_call_count: callCount }) });
  }
  if (inputTokens === null && outputTokens === null) return UNREPORTED_USAGE;
  return usageOf({
    totalInputTokens: inputTokens,
    cacheReadTokens: numberAt(metrics, "cached_tokens"),
    cacheWriteTokens: numberAt(extra, "cache_creation_input_tokens"),
    outputTokens,
    reasoningTokens: numberAt(extra, "reasoning_tokens"),
    raw,
  });
}
