import { type ImagePart, type TextPart, type Usage, usageOf } from "@plimsoll/core";
import type { ImportNote, Transcript } from "../../transcript.ts";
import { contentParts, unreadMark } from "../content-parts.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";
import { readObjects } from "../json-lines.ts";
import { chainTranscripts, MAIN } from "../log-builder.ts";
import {
  boundaryItem,
  type LogItem,
  objectCall,
  type Placed,
  type ReplyPart,
  replyItem,
  resultItem,
  textPart,
  toolTable,
  type UserItem,
  unreadItem,
  userItem,
} from "../log-items.ts";

const FORMAT = "qwen-code";

/**
 * Chats of Qwen Code: one record a line, with the contents that were sent to and came from the model. Messages that a rewind took back stay: calls
 * were made with them.
 */
export const qwenCodeImporter: Importer = {
  format: FORMAT,
  description: "Qwen Code: ~/.qwen/projects/*/chats/*.jsonl (from its source, version 0.24; no recording seen)",
  newestSeen: "0.24",
  recognises: ({ firstObjects }) => firstObjects.some(isRecordOfChat),
  read: readQwen,
};

function isRecordOfChat(value: Fields): boolean {
  if (stringAt(value, "sessionId") === null || !("parentUuid" in value)) return false;
  return (
    Array.isArray(recordAt(value, "message")?.parts) || (value.type === "system" && recordAt(value, "systemPayload") !== null)
  );
}

async function readQwen(source: FileSource): Promise<readonly Transcript[]> {
  const file = source.displayName;
  const notes: ImportNote[] = [];
  const chains = new Map<string, LogItem[]>();
  let first: Fields | null = null;
  await readObjects(source, notes, ({ line, value }) => {
    first ??= value;
    const key = stringAt(value, "agentId") ?? MAIN;
    const items = chains.get(key) ?? [];
    chains.set(key, items);
    items.push(...itemsOf(value, line));
  });
  const id = stringAt(first, "sessionId") ?? file;
  const createdMs = timeMsAt(first, "timestamp");
  const agent = { name: FORMAT, version: stringAt(first, "version") };
  const told = [...chains]
    .map(([key, items]) => ({ key, items }))
    .filter(({ items }) => items.some(({ kind }) => kind !== "unread"))
    .sort((a, b) => Number(a.key !== MAIN) - Number(b.key !== MAIN));
  const session = { file, format: FORMAT, start: { id, createdMs, agent }, cwd: stringAt(first, "cwd"), notes };
  return chainTranscripts(session, told);
}

function itemsOf(value: Fields, line: number): readonly LogItem[] {
  const place = { line, sourceId: stringAt(value, "uuid"), atMs: timeMsAt(value, "timestamp") };
  const content = recordAt(value, "message");
  switch (value.type) {
    case "user":
      return [userItem(originOf(value), userParts(content), place)];
    case "assistant":
      return [replyOf(value, content, place)];
    case "tool_result":
      return resultsOf(content, { ...place, status: stringAt(recordAt(value, "toolCallResult"), "status") });
    case "system":
      if (value.subtype === "chat_compression") return [boundaryOf(recordAt(value, "systemPayload"), place)];
      return UNSENT_SUBTYPES.includes(value.subtype) ? [] : [unreadItem(`system ${value.subtype}`)];
    default:
      return [unreadItem(value.type)];
  }
}

/** Records that the agent keeps for itself (chatRecordingService.ts, 0.24). */
const UNSENT_SUBTYPES: readonly unknown[] = [
  ...[undefined, "ui_telemetry", "slash_command", "at_command", "attribution_snapshot", "file_history_snapshot"],
  ...["custom_title", "rewind", "agent_launch_prompt", "session_artifact_event", "session_artifact_snapshot"],
];

const INJECTED_SUBTYPES = /^(?:notification|cron|background_task_completed|goal_runtime|agent_retry)$/;

function originOf(value: Fields): UserItem["origin"] {
  const isInjected = INJECTED_SUBTYPES.test(stringAt(value, "subtype") ?? "") || value.externalInputKind === "notification";
  return isInjected ? "injected" : "human";
}

function replyOf(value: Fields, content: Fields | null, place: Placed): LogItem {
  const contextWindowTokens = numberAt(value, "contextWindowSize");
  return replyItem(replyParts(content), usageIn(recordAt(value, "usageMetadata")), {
    ...place,
    modelId: stringAt(value, "model"),
    stopReason: replyParts(content).some(({ type }) => type === "tool-call") ? "tool-calls" : "end",
    limits: contextWindowTokens === null ? null : { contextWindowTokens, maxOutputTokens: null },
  });
}

/** The answers of tools in a content: their output or error, and the media inside the answer. */
function resultsOf(
  content: Fields | null,
  { status, ...place }: Partial<Placed> & { readonly status?: string | null } = {},
): readonly LogItem[] {
  const answers = recordsAt(content, "parts").map((part) => recordAt(part, "functionResponse"));
  return answers
    .filter((answer) => answer !== null)
    .map((answer, index) => {
      const response = recordAt(answer, "response");
      const error = stringAt(response, "error");
      const text = stringAt(response, "output") ?? error ?? JSON.stringify(response ?? {});
      const parts = [textPart(text), ...recordsAt(answer, "parts").flatMap(contentParts)];
      const isError = error !== null || status === "error" || status === "cancelled";
      const { sourceId = null } = index === 0 ? place : {};
      return resultItem(stringAt(answer, "id") ?? "", parts, { ...place, isError, sourceId });
    });
}

/** The record holds the history that the model gets from then on, whole. */
function boundaryOf(payload: Fields | null, place: Placed): LogItem {
  const kept = { kind: "history", items: recordsAt(payload, "compressedHistory").flatMap(historyItems) } as const;
  return boundaryItem(null, place, { kept, tokensBefore: numberAt(recordAt(payload, "info"), "originalTokenCount") });
}

const TOOLS = toolTable([
  ["read", "read_file"],
  ["other", "read_many_files web_fetch save_memory todo_write agent task skill ask_user_question exit_plan_mode"],
  ["modify", "write_file edit replace notebook_edit"],
  ["command", "run_shell_command"],
  ["search", "glob grep_search search_file_content list_directory web_search lsp"],
]);

/** The text and images of a content of the user's; thoughts and answers of tools are none of it. */
function userParts(content: Fields | null): readonly (TextPart | ImagePart)[] {
  const own = recordsAt(content, "parts").filter((part) => !("functionResponse" in part || "functionCall" in part));
  return own.flatMap(contentParts);
}

function replyParts(content: Fields | null): readonly ReplyPart[] {
  return recordsAt(content, "parts").flatMap((part): readonly ReplyPart[] => {
    const call = recordAt(part, "functionCall");
    if (call !== null) return [objectCall(TOOLS, stringAt(call, "id"), stringAt(call, "name"), recordAt(call, "args") ?? {})];
    const text = stringAt(part, "text");
    if (text === null) return [{ type: "reasoning", text: "", opaque: jsonValueOf(part), ...unreadMark(part) }];
    return part.thought === true ? [{ type: "reasoning", text, opaque: stringAt(part, "thoughtSignature") }] : [textPart(text)];
  });
}

const SNAPSHOT_MARK = "<state_snapshot>";

/** A content of a history given in full: answers of tools one by one, then its message. */
function historyItems(content: Fields): readonly LogItem[] {
  if (content.role === "model") return [replyItem(replyParts(content), null)];
  const parts = userParts(content);
  const isSummary = parts.some((part) => part.type === "text" && part.text.includes(SNAPSHOT_MARK));
  return [...resultsOf(content), userItem(isSummary ? "summary" : "injected", parts)];
}

/**
 * The prompt is inclusive of its cached part. Thoughts are counted beside the candidates on Google's wire and inside them on others; the total
 * decides. `null` if no prompt is reported.
 */
function usageIn(metadata: Fields | null): Usage | null {
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
