import type { SessionEntry } from "@plimsoll/core";
import { entryIdOf, type SessionStartEntry } from "@plimsoll/core/extend";
import type { ImportNote, Outcome, PutBack, Transcript } from "../transcript.ts";
import { writeBoundary } from "./boundary-writer.ts";
import { createCallBatch } from "./call-batch.ts";
import type { LogItem } from "./log-items.ts";
import { createLogWriter } from "./log-writer.ts";
import { createReplyWriter } from "./reply-writer.ts";

/** A session log made from what an importer read, and what did not fit into it. */
export interface BuiltLog {
  readonly entries: readonly SessionEntry[];
  readonly notes: readonly ImportNote[];
  /** Of the compactions that nobody asked for, by what the recording says. */
  readonly automaticCompactionIds: readonly string[];
  readonly putBack: readonly PutBack[];
  /** Of reports and compactions that the recording says are another session's. */
  readonly copiedIds: readonly string[];
}

/** The session log of a recording: ids given, results joined to their calls, recorded compactions where they took effect. */
export function buildLog(start: SessionStartEntry, items: readonly LogItem[], file: string): BuiltLog {
  const notes: ImportNote[] = [];
  const automaticCompactionIds: string[] = [];
  const putBack: PutBack[] = [];
  const copiedIds: string[] = [];
  const writer = createLogWriter(start);
  const batch = createCallBatch(writer, { items, file, notes });
  const writeReply = createReplyWriter(writer);
  const unread = new Map<string, number>();
  const unknownTools = new Map<string, number>();
  for (const item of items) {
    const written = writer.entries.length;
    switch (item.kind) {
      case "user":
        batch.takeUser(item);
        break;
      case "result":
        batch.takeResult(item);
        break;
      case "reply":
        batch.close("more");
        batch.open(writeReply(item));
        for (const part of item.parts) if (part.type === "tool-call" && part.isUnknown) count(unknownTools, part.toolName);
        break;
      case "unread":
        count(unread, item.type);
        break;
      case "boundary":
        batch.close("more");
        writeBoundary(writer, item, items);
        if (item.isAutomatic === true) automaticCompactionIds.push(writer.lastEntryId());
        if (item.putBack !== undefined) putBack.push({ compactionId: writer.lastEntryId(), text: item.putBack });
        break;
      default:
        item satisfies never;
    }
    if ("isCopied" in item && item.isCopied === true)
      copiedIds.push(
        ...writer.entries
          .slice(written)
          .map((entry) => (entry.type === "message" ? `call:${entry.message.id}` : entryIdOf(entry))),
      );
  }
  batch.close("end");
  if (unread.size > 0)
    notes.push({
      ...{ code: "unknown-line-type", line: null },
      text: `${file}: ${countWords(unread, "item")} of types that are not known were left out: ${namesOf(unread)}`,
    });
  if (unknownTools.size > 0)
    notes.push({
      ...{ code: "unknown-tool", line: null },
      text: `${file}: ${countWords(unknownTools, "call")} of tools that are not known show no file: ${namesOf(unknownTools)}`,
    });
  return { entries: writer.entries, notes, automaticCompactionIds, putBack, copiedIds };
}

/** So many names are counted apart and so many said; the others are counted together (chosen). */
const MOST_COUNTED = 200;
const MOST_NAMED = 5;
const OTHERS = "others";
/** Characters of a name that are kept. */
const NAME_CHARS = 40;

function count(counts: Map<string, number>, name: string): void {
  const own = name.slice(0, NAME_CHARS);
  const key = counts.has(own) || counts.size < MOST_COUNTED ? own : OTHERS;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function countWords(counts: ReadonlyMap<string, number>, what: string): string {
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0);
  return `${all} ${what}${all === 1 ? "" : "s"}`;
}

function namesOf(counts: ReadonlyMap<string, number>): string {
  const most = [...counts].toSorted(([, a], [, b]) => b - a);
  const more = most.length > MOST_NAMED ? ` and ${most.length - MOST_NAMED} more` : "";
  return `${most
    .slice(0, MOST_NAMED)
    .map(([name, times]) => `${name} ${times}`)
    .join(", ")}${more}`;
}

/** The identity of a transcript, and the items that were read of it. */
export interface TranscriptParts {
  readonly name: string;
  readonly file: string;
  readonly format: string;
  readonly parentName?: string | null;
  readonly start: Partial<SessionStartEntry> & { readonly id: string };
  readonly items: readonly LogItem[];
  readonly notes: readonly ImportNote[];
  readonly outcome?: Outcome | null;
  readonly statedUsd?: number | null;
}

/** The transcript of what an importer read. A recording that reports no sizes is noted. */
export function transcriptOf(parts: TranscriptParts): Transcript {
  const { name, file, format, parentName = null, outcome = null, statedUsd = null } = parts;
  const start: SessionStartEntry = { ...EMPTY_START, ...parts.start };
  const { entries, notes, automaticCompactionIds, putBack, copiedIds } = buildLog(start, parts.items, file);
  const hasUsage = entries.some((entry) => entry.type === "usage" && entry.usage.input.totalTokens !== null);
  const noUsage: ImportNote = { code: "no-usage", line: null, text: `${name}: reports no sizes; it is replayed on estimates` };
  const allNotes = [...parts.notes, ...notes, ...(hasUsage ? [] : [noUsage])];
  const automatic = automaticCompactionIds.length === 0 ? {} : { automaticCompactionIds };
  const back = putBack.length === 0 ? {} : { putBack };
  const copied = copiedIds.length === 0 ? {} : { copiedIds };
  const came = outcome === null ? {} : { outcome };
  const stated = statedUsd === null || statedUsd <= 0 ? {} : { statedUsd };
  return {
    name,
    file,
    format,
    entries,
    parentName,
    ...automatic,
    ...back,
    ...copied,
    ...came,
    ...stated,
    hasUsage,
    notes: allNotes,
  };
}

const EMPTY_START: Omit<SessionStartEntry, "id"> = {
  type: "session",
  version: 1,
  createdMs: null,
  system: "",
  tools: [],
  parent: null,
  agent: null,
};
