import { type AssistantMessage, type ImagePart, type TextPart, type Usage, usageOf } from "@plimsoll/core";
import type { MessageDraft, ToolTable } from "@plimsoll/core/extend";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt } from "../fields.ts";
import { imageFromBase64 } from "../image.ts";
import { type CallDraft, callDraft, type ReplyPart, textPart } from "../log-items.ts";

const TOOLS: ToolTable = {
  read_file: "read",
  read_many_files: "other",
  write_file: "modify",
  edit: "modify",
  replace: "modify",
  notebook_edit: "modify",
  run_shell_command: "command",
  glob: "search",
  grep_search: "search",
  search_file_content: "search",
  list_directory: "search",
  web_search: "search",
  web_fetch: "other",
  lsp: "search",
  save_memory: "other",
  todo_write: "other",
  agent: "other",
  task: "other",
  skill: "other",
  ask_user_question: "other",
  exit_plan_mode: "other",
};

/** The text and images of a content of the user's; thoughts and answers of tools are none of it. */
export function userParts(content: Fields | null): readonly (TextPart | ImagePart)[] {
  return recordsAt(content, "parts").flatMap(sentPart);
}

function sentPart(part: Fields): readonly (TextPart | ImagePart)[] {
  const data = recordAt(part, "inlineData");
  if (data !== null) return [imageFromBase64(stringAt(data, "mimeType"), stringAt(data, "data") ?? "")];
  const text = stringAt(part, "text");
  return text === null ? [] : [textPart(text)];
}

/** The thoughts, texts and calls of a content of the model's. */
export function replyParts(content: Fields | null): readonly ReplyPart[] {
  return recordsAt(content, "parts").flatMap((part): readonly ReplyPart[] => {
    const call = recordAt(part, "functionCall");
    if (call !== null) return [callOf(call)];
    const text = stringAt(part, "text");
    if (text === null) return [];
    return part.thought === true ? [{ type: "reasoning", text, opaque: stringAt(part, "thoughtSignature") }] : [textPart(text)];
  });
}

/** The calls of a content of the model's. */
export function callParts(content: Fields | null): readonly CallDraft[] {
  return replyParts(content).flatMap((part) => (part.type === "tool-call" ? [part] : []));
}

function callOf(call: Fields): CallDraft {
  const args = recordAt(call, "args") ?? {};
  const callId = stringAt(call, "id") ?? "";
  return callDraft(TOOLS, { callId, toolName: stringAt(call, "name") ?? "", argumentsJson: JSON.stringify(args), args });
}

/** The answer of a tool. */
export interface ToolResponse {
  readonly callId: string;
  readonly parts: readonly (TextPart | ImagePart)[];
  readonly isError: boolean;
}

/** The answers of tools in a content: their output or error, and the media that stand in the answer. */
export function responsesOf(content: Fields | null): readonly ToolResponse[] {
  return recordsAt(content, "parts").flatMap((part) => {
    const answer = recordAt(part, "functionResponse");
    if (answer === null) return [];
    const response = recordAt(answer, "response");
    const error = stringAt(response, "error");
    const text = stringAt(response, "output") ?? error ?? JSON.stringify(response ?? {});
    const parts = [textPart(text), ...recordsAt(answer, "parts").flatMap(sentPart)];
    return [{ callId: stringAt(answer, "id") ?? "", parts, isError: error !== null }];
  });
}

/** How a summary is marked in a compressed history. */
const SNAPSHOT_MARK = "<state_snapshot>";

/** The messages of a history given in full: each content in its messages, answers of tools one by one. */
export function historyDrafts(contents: readonly Fields[]): readonly MessageDraft[] {
  const calls = new Map(contents.flatMap(callParts).map((call) => [call.callId, call] as const));
  return contents.flatMap((content): readonly MessageDraft[] => {
    if (content.role === "model") return [replyDraft(content)];
    const results = responsesOf(content).flatMap(({ callId, parts, isError }): readonly MessageDraft[] => {
      const call = calls.get(callId);
      if (call === undefined) return [];
      const { toolName, category } = call;
      return [{ role: "tool-result", callId, toolName, isError, category, parts, atMs: null }];
    });
    const parts = userParts(content).filter((part) => part.type !== "text" || part.text.trim() !== "");
    if (parts.length === 0) return results;
    const isSummary = parts.some((part) => part.type === "text" && part.text.includes(SNAPSHOT_MARK));
    return [...results, { role: "user", origin: isSummary ? "summary" : "injected", parts, atMs: null }];
  });
}

function replyDraft(content: Fields): MessageDraft {
  const parts = replyParts(content).flatMap((part): AssistantMessage["parts"] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [part];
    if (part.type === "reasoning") return [part];
    const { type, callId, toolName, argumentsJson, paths } = part;
    return [{ type, callId, toolName, argumentsJson, paths }];
  });
  return { role: "assistant", origin: "model", parts, modelId: null, requestId: null, stopReason: null, atMs: null };
}

/**
 * The prompt is inclusive of its cached part. Thoughts stand beside the candidates on Google's wire and inside them on others, and
 * the total tells which. `null` if no prompt is reported.
 */
export function usageIn(metadata: Fields | null): Usage | null {
  const totalInputTokens = numberAt(metadata, "promptTokenCount");
  if (totalInputTokens === null || totalInputTokens === 0) return null;
  const reasoningTokens = numberAt(metadata, "thoughtsTokenCount");
  const candidates = numberAt(metadata, "candidatesTokenCount");
  const total = numberAt(metadata, "totalTokenCount");
  const besides = candidates === null ? null : candidates + (reasoningTokens ?? 0);
  const outputTokens = total === null || total < totalInputTokens ? besides : total - totalInputTokens;
  const cacheReadTokens = numberAt(metadata, "cachedContentTokenCount");
  return usageOf({ totalInputTokens, cacheReadTokens, outputTokens, reasoningTokens, raw: jsonValueOf(metadata) });
}
