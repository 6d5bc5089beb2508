import { type ImagePart, type TextPart, type Usage, usageOf } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { contentParts } from "../content-parts.ts";
import { type DocumentSession, documentImporter } from "../document.ts";
import { type Fields, jsonValueOf, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import {
  boundaryItem,
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
import { isAgentTag, parted, type Speakers } from "../who-said.ts";

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
  recognises: ({ firstObjects: [first] }) => stringAt(first, "projectHash") !== null && stringAt(first, "sessionId") !== null,
  sessions: (documents) => [sessionOf(documents.filter(isRecord))],
});

function sessionOf(records: readonly Fields[]): DocumentSession {
  const { metadata, messages } = conversationOf(records);
  const start = {
    id: stringAt(metadata, "sessionId"),
    createdMs: timeMsAt(metadata, "startTime"),
    agent: { name: FORMAT, version: null },
  };
  const items: LogItem[] = [];
  const firstOf = new Map<string, LogItem>();
  const calls = messages.flatMap((message) => recordsAt(message, "toolCalls"));
  const answered = new Set(calls.flatMap((call) => (recordsAt(call, "result").length > 0 ? [stringAt(call, "id") ?? ""] : [])));
  for (const message of messages) {
    const rewoundId = stringAt(message, REWIND);
    // A rewind to a message that is not known takes everything back.
    const taken = rewoundId === null ? undefined : (firstOf.get(rewoundId) ?? items[0]);
    const read = taken === undefined ? messageItems(message, answered) : [rollBack(taken, { line: null, atMs: null })];
    const [first] = read;
    if (first !== undefined) firstOf.set(stringAt(message, "id") ?? "", first);
    items.push(...read);
  }
  return { start, items };
}

/** The key of a record by which a message and everything behind it was taken back. */
const REWIND = "$rewindTo";

const SHOWN_TYPES: readonly unknown[] = ["info", "error", "warning"];

function messageItems(message: Fields, answered: ReadonlySet<string>): readonly LogItem[] {
  const from = { sourceId: stringAt(message, "id"), atMs: timeMsAt(message, "timestamp") };
  if (message.type === "user") return userItems(message, from, answered);
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

/** A tag of several words around a text is the agent's own, such as `<session_context>` (0.61). */
const SPEAKERS: Speakers = { ofTag: (name) => (isAgentTag(name) ? "injected" : null), ofOpening: () => null };

/** Results are in messages of their own as well (0.61): results that a call has already are the same ones. */
function userItems(
  message: Fields,
  from: { sourceId: string | null; atMs: number | null },
  answered: ReadonlySet<string>,
): readonly LogItem[] {
  const blocks = recordsAt(message, "content");
  const results = blocks.filter((block) => "functionResponse" in block);
  if (results.length > 0)
    return results.flatMap((block): readonly LogItem[] => {
      const id = stringAt(recordAt(block, "functionResponse"), "id") ?? "";
      return answered.has(id) ? [] : [resultItem(id, contentParts(block), { isError: null, atMs: from.atMs })];
    });
  const parts = contentParts(message.content);
  const [first] = parts;
  const text = first?.type === "text" ? first.text.trimStart() : "";
  if (!text.startsWith(SNAPSHOT_OPENING))
    return parted(parts, SPEAKERS).map(({ origin, parts: said }, at) =>
      userItem(origin, said, at === 0 ? from : { atMs: from.atMs }),
    );
  const summary = userItem("summary", parts, { atMs: from.atMs });
  return [boundaryItem(summary, from)];
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

/** The prompt is inclusive of its cached part; thoughts are counted beside the output. */
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
 * state of that message and replaces it. Messages that a rewind or a checkpoint took back stay, with the rewind where it happened: calls were made with them.
 */
function conversationOf(records: readonly Fields[]): { readonly metadata: Fields; readonly messages: readonly Fields[] } {
  const [metadata = {}, ...rest] = records;
  const messages = new Map<string, Fields>();
  const placeOfCall = new Map<string, string>();
  let lastId = "";
  const set = (id: string, message: Fields) => {
    if (!messages.has(id)) lastId = id;
    messages.set(id, message);
    for (const call of recordsAt(message, "toolCalls")) placeOfCall.set(stringAt(call, "id") ?? "", id);
  };
  // All calls of a session that another program drives (0.61) are in one record without sizes, which grows: each is of the answer before it.
  const setCalls = (calls: readonly Fields[]) => {
    for (const call of calls) {
      const id = placeOfCall.get(stringAt(call, "id") ?? "") ?? lastId;
      const others = recordsAt(messages.get(id), "toolCalls").filter((other) => other.id !== call.id);
      set(id, { ...messages.get(id), toolCalls: [...others, call] });
    }
  };
  const put = (message: Fields) => {
    const id = stringAt(message, "id") ?? `$${messages.size}`;
    const type = stringAt(message, "type") ?? Object.keys(message).find((key) => key.startsWith("$"));
    const calls = recordsAt(message, "toolCalls");
    const isOfAnother = messages.get(lastId)?.type === "gemini" || placeOfCall.has(stringAt(calls[0], "id") ?? "");
    const hasOwn =
      message.tokens !== undefined || contentParts(message.content).some((part) => !isText(part) || part.text !== "");
    if (calls.length > 0 && !hasOwn && !messages.has(id) && isOfAnother) setCalls(calls);
    else if (type !== undefined) set(id, { ...message, type });
  };
  for (const message of recordsAt(metadata, "messages")) put(message);
  for (const record of rest) {
    const update = recordAt(record, "$set");
    if (stringAt(record, REWIND) !== null) set(`${REWIND} ${messages.size}`, record);
    else if (update === null) put(record);
    for (const message of recordsAt(update, "messages")) put(message);
  }
  return { metadata, messages: [...messages.values()] };
}
