import { PlimsollError, type SessionEntry, type ToolSpec } from "@plimsoll/core";
import { isRecord, jsonIn } from "@plimsoll/core/extend";
import type { ImportNote, Transcript } from "../transcript.ts";
import { type Fields, parseRecord, recordAt, recordsAt, stringAt } from "./fields.ts";
import type { FileHead, FileSource, Importer } from "./importer.ts";
import { transcriptOf } from "./log-builder.ts";
import type { LogItem, ReplyItem } from "./log-items.ts";
import { unreadAgentIn } from "./unread-logs.ts";

/** One session of a document: the start of its log, and its items. */
export interface DocumentSession {
  readonly start: Partial<Omit<Extract<SessionEntry, { readonly type: "session" }>, "id">> & { readonly id?: string | null };
  /** The folder in which it ran; left out if the document does not say. */
  readonly cwd?: string | null;
  readonly items: readonly LogItem[];
  readonly notes?: readonly ImportNote[];
  /** US dollars of the whole run, as the document states them. */
  readonly statedUsd?: number | null;
}

/** A format that is read whole. */
export interface DocumentFormat {
  readonly format: string;
  readonly description: string;
  readonly newestSeen?: string;
  recognises(head: FileHead): boolean;
  /** Numbers the sessions even if there is one: for formats whose files are lists of sessions. Left out: if there are several. */
  readonly numbering?: "always";
  /** Documents in other files, by their paths from the folder of the file, that belong to it. */
  readonly beside?: readonly string[];
  /** `neighbours` are those of `beside` that are there and hold JSON, by their paths. */
  sessions(documents: readonly unknown[], neighbours: ReadonlyMap<string, unknown>): readonly DocumentSession[];
}

/**
 * The importer of a format that is read whole: a JSON document, or one on each line. Sessions after the first are named by their
 * number from 0. Throws `bad-input` for a file that holds neither.
 */
export function documentImporter(spec: DocumentFormat): Importer {
  const { format, description, newestSeen } = spec;
  return {
    format,
    description,
    ...(newestSeen === undefined ? {} : { newestSeen }),
    recognises: spec.recognises,
    read: async (source: FileSource): Promise<readonly Transcript[]> => {
      const file = source.displayName;
      const neighbours = new Map<string, unknown>();
      for (const path of spec.beside ?? []) {
        // The JSON of a file that belongs to another one; `undefined` if it is not there or holds none.
        const text = await source.beside(path);
        // The session is read without it.
        const document = text === null ? undefined : jsonIn(text);
        if (document !== undefined) neighbours.set(path, document);
      }
      const sessions = spec.sessions(await readDocuments(source), neighbours);
      return sessions.map(({ start, items, cwd = null, notes = [], statedUsd = null }, index) => {
        const name = sessions.length > 1 || spec.numbering === "always" ? `${file}#${index}` : file;
        return transcriptOf({ name, file, format, start: { ...start, id: start.id ?? name }, items, cwd, notes, statedUsd });
      });
    },
  };
}

async function readDocuments(source: FileSource): Promise<readonly unknown[]> {
  try {
    return [await source.document()];
  } catch (cause) {
    const text = await source.text();
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    const objects = lines.flatMap((line) => parseRecord(line) ?? []);
    if (objects.length > 0 && objects.length >= lines.length - 1) return objects;
    const file = source.displayName;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PlimsollError("bad-input", `${file}: neither a JSON document nor one on each line (${reason})`, { file }, cause);
  }
}

/** A list of messages with the rest of its request. */
export interface MessageList {
  readonly messages: readonly Fields[];
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly modelId: string | null;
  readonly fields: Fields;
}

const LIST_KEYS = ["messages", "input", "history"] as const;

/** The message lists of documents: an array of messages, objects that hold one, or one message a line. Each list is a session. */
export function messageLists(documents: readonly unknown[]): readonly MessageList[] {
  const objects = documents.filter(isRecord);
  const isList = (fields: Fields) => LIST_KEYS.some((key) => Array.isArray(fields[key]));
  if (objects.length > 0 && objects.every(isList)) return objects.map(listOf);
  if (objects.length === documents.length) return [{ ...NO_LIST, messages: objects }];
  return documents.filter(Array.isArray).map((items) => {
    const messages = items.filter(isRecord);
    return { ...NO_LIST, messages };
  });
}

/** The sessions of message lists, each with the replies of one answer as one; `systemOf` recognises system text among the messages. */
export function listSessions(
  documents: readonly unknown[],
  itemsOf: (list: MessageList) => readonly LogItem[],
  systemOf: (list: MessageList) => string = ({ system }) => system,
): readonly DocumentSession[] {
  return messageLists(documents).map((list) => ({
    start: { system: systemOf(list), tools: list.tools },
    items: joinedReplies(itemsOf(list)),
  }));
}

/**
 * Joins adjacent replies: an answer may be written a block, a call or an item a line. Replies with ids of their own, or with different prompts, are
 * different answers.
 */
function joinedReplies(items: readonly LogItem[]): readonly LogItem[] {
  const joined: LogItem[] = [];
  let run: ReplyItem[] = [];
  const close = () => {
    const [first, ...others] = run;
    if (first !== undefined) joined.push(others.length === 0 ? first : joinedReply(first, run));
    run = [];
  };
  for (const item of items) {
    const last = run.at(-1);
    if (item.kind === "unread") {
      joined.push(item);
      continue;
    }
    if (last !== undefined && (item.kind !== "reply" || !isOneAnswer(last, item))) close();
    if (item.kind === "reply") run.push(item);
    else joined.push(item);
  }
  close();
  return joined;
}

function isOneAnswer(one: ReplyItem, other: ReplyItem): boolean {
  if (one.sourceId !== null && other.sourceId !== null) return one.sourceId === other.sourceId;
  // The output may be that of a stream's beginning.
  const [size, otherSize] = [one, other].map(({ usage }) => (isReported(usage) ? JSON.stringify(usage?.input) : null));
  return size === null || otherSize === null || size === otherSize;
}

function isReported(usage: ReplyItem["usage"]): boolean {
  return usage !== null && usage.input.totalTokens !== null;
}

function joinedReply(first: ReplyItem, run: readonly ReplyItem[]): ReplyItem {
  const { usage } = run.findLast((item) => isReported(item.usage)) ?? first;
  const stopReason = run.findLast((item) => item.stopReason !== null)?.stopReason ?? null;
  return { ...first, parts: run.flatMap(({ parts }) => parts), usage, stopReason };
}

/** The first messages of a file, for recognising a format by them; none in a log of an agent that writes lists of a form of its own. */
export function headMessages(head: FileHead): readonly Fields[] {
  if (unreadAgentIn(head.firstObjects) !== null) return [];
  const [list] = messageLists(head.firstObjects);
  return list?.messages ?? [];
}

const NO_LIST: MessageList = { messages: [], system: "", tools: [], modelId: null, fields: {} };

function listOf(fields: Fields): MessageList {
  const key = LIST_KEYS.find((candidate) => Array.isArray(fields[candidate])) ?? "messages";
  const blocks = recordsAt(fields, "system").flatMap((block) => stringAt(block, "text") ?? []);
  const system =
    stringAt(fields, "system") ?? stringAt(fields, "system_prompt") ?? stringAt(fields, "instructions") ?? blocks.join("\n");
  return {
    messages: recordsAt(fields, key),
    system,
    tools: toolSpecs(fields.tools),
    modelId: stringAt(fields, "model"),
    fields,
  };
}

/** Tool specifications in any vendor's form. Tools without a name of their own (server-side ones) are left out. */
export function toolSpecs(value: unknown): readonly ToolSpec[] {
  return recordsAt({ value }, "value").flatMap((tool) => {
    const body = recordAt(tool, "function") ?? tool;
    const name = stringAt(body, "name");
    if (name === null) return [];
    const schema = body.parameters ?? body.input_schema ?? body.inputSchema ?? {};
    return [{ name, description: stringAt(body, "description") ?? "", parametersJson: JSON.stringify(schema) }];
  });
}
