import type { FileHandle } from "node:fs/promises";
import { type EntryListener, PlimsollError, type StoredSession } from "@plimsoll/core";
import { decodeEntry, lineTooLong, MAXIMUM_LINE_BYTES, MORE_FOLLOWS } from "@plimsoll/core/extend";

/** An open log file. */
export interface ReadableLog {
  readonly path: string;
  readonly file: FileHandle;
}

/** The end of a log file. */
export interface LogEnd {
  readonly cutOff: StoredSession["cutOff"];
  /** Bytes of the whole batches: the rest of a log whose end is cut off. */
  readonly wholeBytes: number;
  /** The last entry is whole, only its line end is missing. */
  readonly lacksLineEnd: boolean;
}

/** Largest log, in bytes. Opening reads it once: a minute and a half at 200 MB/s. Chosen. */
export const MAXIMUM_LOG_BYTES: number = 16 * 1024 * 1024 * 1024;

/** The error for a log beyond {@link MAXIMUM_LOG_BYTES}. */
export function logTooLarge(place: string, bytes: number): PlimsollError {
  return new PlimsollError("session-limit", `${place}: a log of ${bytes} bytes; the limit is ${MAXIMUM_LOG_BYTES}`, {
    limit: "log-bytes",
    maximum: MAXIMUM_LOG_BYTES,
    found: bytes,
  });
}

/** How much of a log is read at once, until a line is longer; chosen. */
const CHUNK_BYTES = 1024 * 1024;
const LINE_END = 0x0a;

/**
 * Hands over all entries of a log, in order, and notes each one's place in the index. Never more than the longest line (its bytes, text and entry) is
 * in memory. A killed writer's remains of a last batch are reported and not in the index; empty lines are passed over.
 *
 * @throws PlimsollError `bad-session` naming `file:line` for any other bad line, `session-limit` for a log or line over a limit.
 */
export async function readLog({ path, file }: ReadableLog, index: LogIndex, onEntry: EntryListener): Promise<LogEnd> {
  const { size } = await file.stat();
  if (size > MAXIMUM_LOG_BYTES) throw logTooLarge(path, size);
  const wholeBytes = await endOfBatches(file, size);
  let chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, size + 1));
  let start = 0;
  let line = 0;
  const take = (text: string, bytes: number): void => {
    const from = start;
    start += bytes;
    if (text.trim() === "") return;
    onEntry(decodeEntry(text, { file: path, line }));
    index.add(from, start);
  };
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, wholeBytes - start), start);
    const read = chunk.subarray(0, bytesRead);
    let from = 0;
    for (let end = read.indexOf(LINE_END); end >= 0; end = read.indexOf(LINE_END, from)) {
      line += 1;
      take(read.toString("utf8", from, end), end + 1 - from);
      from = end + 1;
    }
    if (from > 0) continue;
    if (bytesRead === chunk.length) {
      // A line that is longer than the chunk: room for all of it at once, so that its bytes are held only once.
      const bytes = await lineBytes(file, start, chunk);
      if (bytes > MAXIMUM_LINE_BYTES + MORE_FOLLOWS.length) throw lineTooLong(`${path}:${line + 1}`);
      chunk = Buffer.allocUnsafeSlow(bytes + 1);
      continue;
    }
    line += 1;
    const rest = read.toString("utf8");
    take(rest, bytesRead);
    const cutOff = wholeBytes < size ? { line, bytes: size - wholeBytes } : null;
    return { cutOff, wholeBytes, lacksLineEnd: bytesRead > 0 };
  }
}

const MORE_FOLLOWS_BYTE = MORE_FOLLOWS.charCodeAt(0);

/** The byte after the last whole batch. Later lines are those of a batch that a killed writer did not end, and perhaps a cut-off one: no line end and no JSON. */
async function endOfBatches(file: FileHandle, size: number): Promise<number> {
  const lastStart = await lineStart(file, size);
  const last = await textOf(file, lastStart, Math.min(size, lastStart + MAXIMUM_LINE_BYTES));
  const isTooLong = size - lastStart > MAXIMUM_LINE_BYTES;
  const isWhole = !last.startsWith(MORE_FOLLOWS) && (last.trim() === "" || isTooLong || isJson(last));
  if (isWhole && last !== "") return size;
  let end = lastStart;
  for (let start = end; end > 0; end = start) {
    start = await lineStart(file, end - 1);
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, start);
    if (buffer[0] !== MORE_FOLLOWS_BYTE) break;
  }
  return end;
}

/** How much is read at once from the end of a log on; chosen. */
const TAIL_BYTES = 64 * 1024;

/** The first byte of the line that the byte before `end` is on, if `end` is not behind a line's end. */
async function lineStart(file: FileHandle, end: number): Promise<number> {
  const chunk = Buffer.allocUnsafe(Math.min(TAIL_BYTES, end));
  for (let through = end; through > 0; ) {
    const from = Math.max(0, through - chunk.length);
    const { bytesRead } = await file.read(chunk, 0, through - from, from);
    const at = chunk.subarray(0, bytesRead).lastIndexOf(LINE_END);
    if (at >= 0) return from + at + 1;
    through = from;
  }
  return 0;
}

async function textOf(file: FileHandle, from: number, through: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(through - from), 0, through - from, from);
  return buffer.toString("utf8", 0, bytesRead);
}

/** Bytes of the line that begins at `start`, with its line end; more than the most as soon as it is longer than that. Overwrites the chunk. */
async function lineBytes(file: FileHandle, start: number, chunk: Buffer): Promise<number> {
  let bytes = 0;
  while (bytes <= MAXIMUM_LINE_BYTES) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, start + bytes);
    const end = chunk.subarray(0, bytesRead).indexOf(LINE_END);
    if (end >= 0) return bytes + end + 1;
    bytes += bytesRead;
    if (bytesRead === 0) break;
  }
  return bytes;
}

/** Where each entry of a log file is: eight bytes an entry. */
export interface LogIndex {
  /** Notes the next entry: its first byte and the one after its last. */
  add(startByte: number, endByte: number): void;
  /** The bytes of an entry, counted from 0; `null` if the log has no such entry. Empty lines before the next entry belong to them. */
  bytesOf(entryIndex: number): { readonly startByte: number; readonly endByte: number } | null;
  entryCount(): number;
  /** The byte after the last entry. */
  endByte(): number;
}

/** How many entries an index has room for at first; it doubles. Chosen. */
const FIRST_ROOM_COUNT = 256;

/** The index of an empty log. */
export function createLogIndex(): LogIndex {
  let starts = new Float64Array(FIRST_ROOM_COUNT);
  let count = 0;
  let end = 0;
  return {
    add: (startByte, endByte) => {
      if (count === starts.length) {
        const larger = new Float64Array(count * 2);
        larger.set(starts);
        starts = larger;
      }
      starts[count] = startByte;
      count += 1;
      end = endByte;
    },
    bytesOf: (entryIndex) => {
      if (!Number.isInteger(entryIndex) || entryIndex < 0 || entryIndex >= count) return null;
      return { startByte: starts[entryIndex] ?? 0, endByte: entryIndex + 1 < count ? (starts[entryIndex + 1] ?? end) : end };
    },
    entryCount: () => count,
    endByte: () => end,
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
