import { type ImagePart, type TextPart, type Usage, usageOf } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { contentParts } from "../content-parts.ts";
import { type DocumentSession, documentImporter } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import {
  type LogItem,
  objectCall,
  type ReplyPart,
  replyItem,
  resultItem,
  rollBack,
  toolTable,
  unreadItem,
  userItem,
} from "../log-items.ts";

const FORMAT = "gemini-cli";

const TOOLS = toolTable([
  ["read", "read_file"],
  ["other", "read_many_files web_fetch save_memory write_todos"],
  ["modify", "write_file replace"],
  ["command", "run_shell_command"],
  ["search", "glob grep_search search_file_content list_directory google_web_search"],
]);

/** How the first user message of a compressed history begins. */
const SNAPSHOT_OPENING = "<state_snapshot>";

/** Chats of the Gemini CLI: one document, or records on lines with updates and rewinds. */
export const geminiCliImporter: Importer = documentImporter({
  format: FORMAT,
  description: "Gemini CLI: ~/.gemini/tmp/*/chats/session-*.json and .jsonl",
  numbering: "if-several",
  recognises: ({ firstObjects: [first] }) => stringAt(first, "projectHash") !== null && stringAt(first, "sessionId") !== null,
  sessions: (documents) => [sessionOf(documents.filter(isRecord))],
});

function sessionOf(records: readonly Fields[]): DocumentSession {
  const { metadata, messages } = conversationOf(records);
  const id = stringAt(metadata, "sessionId");
  const start = {
    ...(id === null ? {} : { id }),
    createdMs: timeMsAt(metadata, "startTime"),
    agent: { name: FORMAT, version: null },
  };
  const items: LogItem[] = [];
  const firstOf = new Map<string, LogItem>();
  for (const message of messages) {
    const rewoundId = stringAt(message, REWIND);
    // A rewind to a message that is not known takes everything back.
    const taken = rewoundId === null ? undefined : (firstOf.get(rewoundId) ?? items[0]);
    const read = taken === undefined ? messageItems(message) : [rollBack(taken, { line: null, atMs: null })];
    const [first] = read;
    if (first !== undefined) firstOf.set(stringAt(message, "id") ?? "", first);
    items.push(...read);
  }
  return { start, items };
}

/** The key of a record by which a message and everything behind it was taken back. */
const REWIND = "$rewindTo";

const SHOWN_TYPES: readonly unknown[] = ["info", "error", "warning"];

function messageItems(message: Fields): readonly LogItem[] {
  const from = { sourceId: stringAt(message, "id"), atMs: timeMsAt(message, "timestamp") };
  if (message.type === "user") return userItems(message, from);
  if (message.type !== "gemini")
    return REWIND in message || SHOWN_TYPES.includes(message.type) ? [] : [unreadItem(message.type)];
  const calls = recordsAt(message, "toolCalls");
  const parts = [
    ...recordsAt(message, "thoughts").map(thoughtPart),
    ...contentParts(message.content).filter(isText),
    ...calls.map((call) => objectCall(TOOLS, stringAt(call, "id"), stringAt(call, "name"), recordAt(call, "args"))),
  ];
  const stopReason = calls.length > 0 ? ("tool-calls" as const) : ("end" as const);
  const reply = replyItem(parts, tokenUsage(recordAt(message, "tokens")), {
    ...from,
    modelId: stringAt(message, "model"),
    stopReason,
  });
  return [reply, ...calls.flatMap(callResult)];
}

function userItems(message: Fields, from: { sourceId: string | null; atMs: number | null }): readonly LogItem[] {
  const parts = contentParts(message.content);
  const [first] = parts;
  const text = first?.type === "text" ? first.text.trimStart() : "";
  if (!text.startsWith(SNAPSHOT_OPENING)) return [userItem("human", parts, from)];
  const summary = userItem("summary", parts, { atMs: from.atMs });
  return [{ kind: "boundary", summary, kept: { kind: "items", items: [] }, tokensBefore: null, line: null, ...from }];
}

function isText(part: TextPart | ImagePart): part is TextPart {
  return part.type === "text";
}

function thoughtPart(thought: Fields): ReplyPart {
  const text = [stringAt(thought, "subject"), stringAt(thought, "description")].filter((line) => line !== null).join("\n");
  return { type: "reasoning", text, opaque: null };
}

/** The parts that were sent back; `resultDisplay` is for the eye. */
function callResult(call: Fields): readonly LogItem[] {
  const sent = recordsAt(call, "result");
  if (sent.length === 0) return [];
  const isError = call.status === "error" || call.status === "cancelled";
  return [resultItem(stringAt(call, "id") ?? "", contentParts(sent), { isError, atMs: timeMsAt(call, "timestamp") })];
}

/** The prompt is inclusive of its cached part; thoughts stand beside the output. */
function tokenUsage(tokens: Fields | null): Usage | null {
  const totalInputTokens = numberAt(tokens, "input");
  if (totalInputTokens === null || totalInputTokens === 0) return null;
  const reasoningTokens = numberAt(tokens, "thoughts");
  const output = numberAt(tokens, "output");
  const outputTokens = output === null ? null : output + (reasoningTokens ?? 0);
  const cacheReadTokens = numberAt(tokens, "cached");
  return usageOf({ totalInputTokens, cacheReadTokens, outputTokens, reasoningTokens, raw: jsonValueOf(tokens) });
}

/**
 * The chat that records give: the first has the metadata (in a document, the messages too). A record with a known id is a later
 * state of that message and takes its place. Messages that a rewind or a checkpoint took back stay, with the rewind where it happened: calls were made with them.
 */
function conversationOf(records: readonly Fields[]): { readonly metadata: Fields; readonly messages: readonly Fields[] } {
  const [metadata = {}, ...rest] = records;
  const messages = new Map<string, Fields>();
  const put = (message: Fields) => {
    const id = stringAt(message, "id") ?? String(messages.size);
    if (stringAt(message, "type") !== null) messages.set(id, message);
  };
  for (const message of recordsAt(metadata, "messages")) put(message);
  for (const record of rest) {
    const update = recordAt(record, "$set");
    if (stringAt(record, REWIND) !== null) messages.set(`${REWIND} ${messages.size}`, record);
    else if (update === null) put(record);
    for (const message of recordsAt(update, "messages")) put(message);
  }
  return { metadata, messages: [...messages.values()] };
}
