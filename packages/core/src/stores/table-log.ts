import { branchEntry, noSuchEntry, sessionTitle } from "../agent/memory-session-store.ts";
import { entryIdOf, type SessionEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import type { EntryListener, SessionBranch } from "../ports.ts";
import { decodeEntry, encodeEntry } from "../session/codec.ts";
import { asked, bytesOf, type LogTable, type NewLines } from "./log-table.ts";

/** How many entries are asked for at once; chosen. */
const CHUNK_COUNT = 200;

const NAMED_HANDLE = /artifact:[0-9a-f]{64}/g;

/**
 * Entries as a table takes them.
 *
 * @throws PlimsollError `session-limit` for an entry that could not be read again.
 */
export function newLines(entries: readonly SessionEntry[]): NewLines {
  const lines = entries.map((entry) => encodeEntry(entry).trimEnd());
  const handles = new Set(lines.flatMap((line) => line.match(NAMED_HANDLE) ?? []));
  return { lines, bytes: bytesOf(lines), title: storableText(sessionTitle(entries)), handles: [...handles] };
}

/** Text that every database takes: without NUL, which PostgreSQL refuses, and lone surrogates, which UTF-8 has not. */
function storableText(text: string | null): string | null {
  return text === null ? null : Buffer.from(text.replaceAll("\0", ""), "utf8").toString("utf8");
}

/** A log as it was read: how many entries it has, and which no listener took. */
interface LogContent {
  readonly count: number;
  readonly entries: readonly SessionEntry[];
}

/**
 * Reads a log from its first entry to its last; `null` if there is none of that id.
 *
 * @throws PlimsollError `bad-session` for damage, and for a log that was removed while it was read; what the listener throws.
 */
export async function readLog(table: LogTable, sessionId: string, onEntry?: EntryListener): Promise<LogContent | null> {
  const count = await asked(sessionId, () => table.count(sessionId));
  if (count === null) return null;
  const entries: SessionEntry[] = [];
  const take = onEntry ?? ((entry: SessionEntry) => entries.push(entry));
  for await (const { lines, start } of chunksOf(table, sessionId, count))
    for (const [index, line] of lines.entries()) take(decodeEntry(line, { file: sessionId, line: start + index + 1 }));
  return { count, entries };
}

/** Lines of a log that were asked for at once, and the index of the first. */
interface LogChunk {
  readonly lines: readonly string[];
  readonly start: number;
}

/** The first lines of a log, some at a time. */
async function* chunksOf(table: LogTable, sessionId: string, count: number): AsyncGenerator<LogChunk> {
  for (let from = 0; from < count; ) {
    const start = from;
    const lines = await asked(sessionId, () => table.lines(sessionId, start, Math.min(CHUNK_COUNT, count - start)));
    if (lines.length === 0)
      throw new PlimsollError("bad-session", `session ${sessionId} was removed while it was read`, { sessionId });
    yield { lines, start };
    from += lines.length;
  }
}

/** The beginning of a branch: the number of its entries, and those that no listener took. */
interface BranchContent extends LogContent {
  /** Its first entry, with what is known of all of them. */
  readonly first: NewLines;
  readonly parentId: string | null;
}

/**
 * Reads what a branch begins with; `null` if there is no such log.
 *
 * @throws PlimsollError `bad-input` if the log has no entry of that id.
 */
export async function readBranch(
  table: LogTable,
  source: SessionBranch,
  onEntry?: EntryListener,
): Promise<BranchContent | null> {
  const entries: SessionEntry[] = [];
  const take = onEntry ?? ((entry: SessionEntry) => entries.push(entry));
  const handles = new Set<string>();
  let [first, parentId, count, isWhole]: [NewLines, string | null, number, boolean] = [newLines([]), null, 0, false];
  const read = await readLog(table, source.sessionId, (original) => {
    if (isWhole) return;
    const entry = branchEntry(original, source);
    const added = newLines([entry]);
    for (const handle of added.handles) handles.add(handle);
    first = {
      lines: count === 0 ? added.lines : first.lines,
      bytes: first.bytes + added.bytes,
      title: first.title ?? added.title,
      handles: [],
    };
    if (entry.type === "session") parentId = entry.parent?.sessionId ?? null;
    count += 1;
    isWhole = entryIdOf(original) === source.throughEntryId;
    take(entry);
  });
  if (read === null) return null;
  if (!isWhole) throw noSuchEntry(source);
  return { first: { ...first, handles: [...handles] }, parentId, count, entries };
}
