import type { ImportNote, Transcript } from "../../transcript.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";
import { readObjects } from "../json-lines.ts";
import { transcriptOf } from "../log-builder.ts";
import { type LogItem, type UserItem, unreadItem } from "../log-items.ts";
import { callParts, historyDrafts, replyParts, responsesOf, usageIn, userParts } from "./contents.ts";

const FORMAT = "qwen-code";

/**
 * Chats of Qwen Code: one record a line, with the contents that were sent to and came from the model. What a rewind took back stays:
 * calls were made with it.
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

const MAIN = "";

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
    .filter(([, items]) => items.some(({ kind }) => kind !== "unread"))
    .sort(([a], [b]) => Number(a !== MAIN) - Number(b !== MAIN));
  return told.map(([key, items], index) => {
    const isSide = key !== MAIN;
    const start = {
      id: isSide ? `${id}/${key}` : id,
      createdMs,
      agent,
      parent: isSide ? { sessionId: id, callId: null } : null,
    };
    const name = index === 0 ? file : `${file}#${key}`;
    const parentName = index === 0 ? null : file;
    return transcriptOf({ name, file, format: FORMAT, parentName, start, items, notes: index === 0 ? notes : [] });
  });
}

interface Place {
  readonly line: number;
  readonly sourceId: string | null;
  readonly atMs: number | null;
}

function itemsOf(value: Fields, line: number): readonly LogItem[] {
  const place = { line, sourceId: stringAt(value, "uuid"), atMs: timeMsAt(value, "timestamp") };
  const content = recordAt(value, "message");
  switch (value.type) {
    case "user":
      return [{ kind: "user", origin: originOf(value), parts: userParts(content), ...place }];
    case "assistant":
      return [replyOf(value, content, place)];
    case "tool_result":
      return resultsOf(value, content, place);
    case "system":
      return value.subtype === "chat_compression" ? [boundaryOf(recordAt(value, "systemPayload"), place)] : [];
    default:
      return content === null ? [] : [unreadItem(value.type)];
  }
}

/** Kinds of user records that no person wrote. */
const INJECTED_SUBTYPES: readonly unknown[] = [
  "notification",
  "cron",
  "background_task_completed",
  "goal_runtime",
  "agent_retry",
];

function originOf(value: Fields): UserItem["origin"] {
  const isInjected = INJECTED_SUBTYPES.includes(value.subtype) || value.externalInputKind === "notification";
  return isInjected ? "injected" : "human";
}

function replyOf(value: Fields, content: Fields | null, place: Place): LogItem {
  const contextWindowTokens = numberAt(value, "contextWindowSize");
  return {
    kind: "reply",
    parts: replyParts(content),
    modelId: stringAt(value, "model"),
    requestId: null,
    stopReason: callParts(content).length > 0 ? "tool-calls" : "end",
    usage: usageIn(recordAt(value, "usageMetadata")),
    limits: contextWindowTokens === null ? null : { contextWindowTokens, maxOutputTokens: null },
    ...place,
  };
}

function resultsOf(value: Fields, content: Fields | null, place: Place): readonly LogItem[] {
  const status = stringAt(recordAt(value, "toolCallResult"), "status");
  const isStopped = status === "error" || status === "cancelled";
  return responsesOf(content).map(({ callId, parts, isError }, index) => ({
    kind: "result",
    callId,
    isError: isError || isStopped,
    parts,
    ...place,
    sourceId: index === 0 ? place.sourceId : null,
  }));
}

/** The record holds the history that the model gets from then on, whole. */
function boundaryOf(payload: Fields | null, place: Place): LogItem {
  return {
    kind: "boundary",
    summary: null,
    kept: { kind: "history", drafts: historyDrafts(recordsAt(payload, "compressedHistory")) },
    tokensBefore: numberAt(recordAt(payload, "info"), "originalTokenCount"),
    ...place,
  };
}
