import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { PlimsollError } from "@plimsoll/core";
import { isRecord, jsonIn } from "@plimsoll/core/extend";

/** The version of a line's form. Lines of another version are not there. */
const LINE_VERSION = 1;

/** A line describes a file's sessions, is a row, or names the lines of a result. */
export type LineKind = "file" | "row" | "result";

/** Finished work, and the results of runs, in one file that only grows: a line of JSON each, under a key over its inputs. */
export interface RowsFile {
  /** The newest value under a key, unchecked; `null` if there is none. */
  read(kind: LineKind, key: string): unknown;
  append(kind: LineKind, key: string, value: unknown): void;
  /** The keys of a kind, those that were appended last at the end. */
  keys(kind: LineKind): readonly string[];
  close(): void;
}

/** How a file of rows is opened. */
export interface RowsOptions {
  /** A file that the person did not name may fail: work goes on without it. Any other failure throws `bad-input`. */
  readonly isSpare?: boolean;
  /** Read-only: it must be there, and is not changed. */
  readonly isRead?: boolean;
}

interface Place {
  readonly at: number;
  readonly bytes: number;
}

/** The beginning of a line that is understood. */
const HEAD = /^\{"v":(\d+),"kind":"(file|row|result)","key":"([0-9a-f]{64})","value":/;
const HEAD_BYTES = 128;
const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;
/** Rows quote the sessions. */
const OWNER_ONLY = 0o600;
const OWNER_ONLY_FOLDER = 0o700;

/**
 * Opens a file of rows. A last line without its end, which a killed process left, is cut off; lines that are damaged or of another version are not there. Only one process
 * appends to a file at a time. Throws `bad-input` if it cannot be opened.
 */
export function openRowsFile(
  path: string,
  displayName: string,
  { isSpare = false, isRead = false }: RowsOptions = {},
): RowsFile {
  const failed = (cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    return new PlimsollError(
      "bad-input",
      `${displayName}: ${why.startsWith("EISDIR") ? "is a folder; give a row file" : `cannot be ${isRead ? "read" : "written"} (${why})`}`,
      { file: displayName },
      cause,
    );
  };
  const file = opened(
    () => {
      if (!isRead) mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY_FOLDER });
      return checkedFile(openSync(path, constants.O_NONBLOCK | (isRead ? constants.O_RDONLY : APPENDS), OWNER_ONLY), isRead);
    },
    isSpare ? null : failed,
  );
  if (file === null) return rowsIn(null, new Map(), null);
  const { places, end } = opened(() => placesIn(file), failed) ?? { places: new Map(), end: 0 };
  if (!isRead && end < fstatSync(file).size) ftruncateSync(file, end);
  return rowsIn(file, places, isSpare ? null : failed);
}

const APPENDS = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;

/** How a line begins, and so a file whose first line was never finished. */
const BEGINS = '{"v":';

/** An open file that may be read, or appended to: no device or pipe, whose end never comes, and no file with lines of another program. */
function checkedFile(file: number, isRead: boolean): number {
  const stats = fstatSync(file);
  const begins = Buffer.alloc(stats.isFile() ? Math.min(BEGINS.length, stats.size) : 0);
  readSync(file, begins, 0, begins.length, 0);
  const isRows = isRead || BEGINS.startsWith(begins.toString("latin1"));
  if (stats.isFile() && isRows) return file;
  closeSync(file);
  throw new Error(stats.isFile() ? "it holds something else" : stats.isDirectory() ? "EISDIR" : "is not a regular file");
}

function opened<Value>(open: () => Value, failed: ((cause: unknown) => PlimsollError) | null): Value | null {
  try {
    return open();
  } catch (cause) {
    if (failed === null) return null;
    throw failed(cause);
  }
}

function rowsIn(file: number | null, places: Map<string, Place>, failed: ((cause: unknown) => PlimsollError) | null): RowsFile {
  return {
    read: (kind, key) => {
      const place = places.get(`${kind} ${key}`);
      if (place === undefined || file === null) return null;
      const bytes = Buffer.allocUnsafe(place.bytes);
      readSync(file, bytes, 0, place.bytes, place.at);
      const line = jsonIn(bytes.toString("utf8"));
      return isRecord(line) ? (line.value ?? null) : null;
    },
    append: (kind, key, value) => {
      if (file === null) return;
      const line = Buffer.from(`${JSON.stringify({ v: LINE_VERSION, kind, key, value })}\n`);
      opened(() => {
        const at = fstatSync(file).size;
        // One write: another process that reads sees the whole line, or an end that it cuts off.
        writeSync(file, line);
        places.delete(`${kind} ${key}`);
        places.set(`${kind} ${key}`, { at, bytes: line.length - 1 });
      }, failed);
    },
    keys: (kind) => [...places.keys()].flatMap((each) => (each.startsWith(`${kind} `) ? [each.slice(kind.length + 1)] : [])),
    close: () => {
      if (file !== null) closeSync(file);
    },
  };
}

/** Finds where each line is, without holding any; `end` is that of the last whole one. */
function placesIn(file: number): { readonly places: Map<string, Place>; readonly end: number } {
  const places = new Map<string, Place>();
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const head = Buffer.alloc(HEAD_BYTES);
  let [from, end] = [0, 0];
  for (
    let length = readSync(file, chunk, 0, CHUNK_BYTES, from);
    length > 0;
    length = readSync(file, chunk, 0, CHUNK_BYTES, from)
  ) {
    const bytes = chunk.subarray(0, length);
    for (let newline = bytes.indexOf(NEWLINE); newline >= 0; newline = bytes.indexOf(NEWLINE, newline + 1)) {
      const at = from + newline;
      const read = readSync(file, head, 0, Math.min(HEAD_BYTES, at - end), end);
      const [, version, kind, key] = HEAD.exec(head.toString("latin1", 0, read)) ?? [];
      if (Number(version) === LINE_VERSION) {
        places.delete(`${kind} ${key}`);
        places.set(`${kind} ${key}`, { at: end, bytes: at - end });
      }
      end = at + 1;
    }
    from += length;
  }
  return { places, end };
}
