import { constants, isAscii } from "node:buffer";
import { closeSync, fstatSync, readSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { isNestedDeeper, isRecord } from "@plimsoll/core/extend";
import { packingOf, unpackWhole } from "@plimsoll/providers/unpack";
import { openRegularFileSync, readRegularFile } from "@plimsoll/stores";
import { type Fields, parseRecord } from "./fields.ts";
import type { FileHead, FileLine, FileSource } from "./importer.ts";
import { splitObjects } from "./json-lines.ts";
import { storedSession, storedSessionText } from "./opencode/database.ts";

/** How much is read at once, in bytes: chosen, large enough that the system call does not count. */
const CHUNK_BYTES = 1 << 18;

/** Longest line, and longest document that it reads whole, in bytes: JavaScript holds no longer text. */
const MOST_BYTES: number = constants.MAX_STRING_LENGTH;

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = "\uFEFF";

/**
 * A file on disk, or a session of a database, as importers read it. Lines are split on `\n`, a `\r` before it and a byte-order mark at the start are
 * taken off; memory follows the largest line. Reading throws `bad-input` if the file cannot be read, or is not a regular file: a device may have no end.
 * Reading is synchronous: a stream or a promise makes a read take several times as long. A packed log is unpacked at once: rejects with `bad-input`
 * if it is damaged or too large.
 */
export async function fileSource(path: string, displayName: string, mostBytes: number = MOST_BYTES): Promise<FileSource> {
  if (storedSession(path) !== null) return lazySource(path, displayName, () => storedSessionText(path, displayName));
  const wholeBytes = (): Buffer => {
    try {
      return readRegularFile(path, mostBytes);
    } catch (cause) {
      const isTooLong = cause instanceof Error && "code" in cause && cause.code === "EFBIG";
      throw isTooLong ? tooLong(displayName, `one document of more than ${mostBytes} bytes`) : unreadable(displayName, cause);
    }
  };
  const first = firstBytes(path);
  const packing = packingOf(first);
  if (packing !== null) {
    const { text, encoding } = await unpackedText(wholeBytes(), packing, displayName);
    return { ...lazySource(path, displayName, () => text), encoding };
  }
  const { decode, name: encoding } = encodingOf(first);
  if (decode !== decoded)
    return { ...lazySource(path, displayName, () => withoutByteOrderMark(decode(wholeBytes()))), encoding };
  const text = async () => withoutByteOrderMark(decoded(wholeBytes()));
  return {
    path,
    displayName,
    encoding,
    lines: () => readLines(path, displayName, mostBytes),
    text,
    document: parsedOnce(text, displayName),
    ...filesBeside(path),
  };
}

async function unpackedText(
  packed: Buffer,
  packing: string,
  displayName: string,
): Promise<{ readonly text: string; readonly encoding: string | null }> {
  const unpacked = await unpackWhole(packed, packing, LARGEST_PACKED_BYTES);
  if (unpacked.kind === "damaged") throw unreadable(displayName, new Error(`${packing}: ${unpacked.reason}`));
  if (!("bytes" in unpacked)) throw tooLong(displayName, `unpacked, more than ${LARGEST_PACKED_BYTES} bytes`);
  const { decode, name } = encodingOf(unpacked.bytes);
  return { text: withoutByteOrderMark(decode(unpacked.bytes)), encoding: name };
}

/** Largest text of a packed log, in bytes: the platform's longest string is little longer; chosen. */
const LARGEST_PACKED_BYTES = 500_000_000;

/** How a file is read by its first bytes, and the name of that; `null` for plain UTF-8. A log begins with ASCII, which UTF-16 pads with zeros. */
function encodingOf([a, b, c, d]: Buffer): { readonly decode: (bytes: Buffer) => string; readonly name: string | null } {
  const isMarked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  const isLittle = isMarked ? a === 0xff : a !== 0 && b === 0 && c !== 0 && d === 0;
  const isBig = isMarked ? a === 0xfe : a === 0 && b !== 0 && c === 0 && d !== 0;
  const mark = isMarked ? "with" : "without";
  if (isLittle) return { decode: (bytes) => bytes.toString("utf16le"), name: `UTF-16LE ${mark} a byte-order mark` };
  if (isBig) return { decode: utf16Big, name: `UTF-16BE ${mark} a byte-order mark` };
  return { decode: decoded, name: a === 0xef && b === 0xbb && c === 0xbf ? "UTF-8 with a byte-order mark" : null };
}

function utf16Big(bytes: Buffer): string {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString("utf16le");
}

function firstBytes(path: string): Buffer {
  const bytes = Buffer.alloc(4);
  try {
    return withFile(path, path, (file) => bytes.subarray(0, readSync(file, bytes)));
  } catch {
    // A file that cannot be opened says so when it is read.
    return bytes.subarray(0, 0);
  }
}

/** The last bytes of a file as text; empty if it cannot be read. */
export function fileEnd(path: string, mostBytes: number): string {
  const bytes = Buffer.alloc(mostBytes);
  try {
    const from = (file: number) => Math.max(0, fstatSync(file).size - mostBytes);
    return withFile(path, path, (file) => bytes.toString("latin1", 0, readSync(file, bytes, 0, mostBytes, from(file))));
  } catch {
    // A file that cannot be opened says so when it is read.
    return "";
  }
}

/** Works with an open file. Throws `bad-input` if it cannot be read. */
function withFile<T>(path: string, displayName: string, work: (file: number) => T): T {
  try {
    const file = openRegularFileSync(path);
    try {
      return work(file);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw unreadable(displayName, cause);
  }
}

function tooLong(file: string, what: string): PlimsollError {
  return new PlimsollError("bad-input", `${file}: ${what}, too long to read; split the file, or leave it out`, { file });
}

function filesBeside(path: string): Pick<FileSource, "beside" | "namesIn"> {
  const folder = dirname(path);
  return {
    // Files beside a session may be missing; its importer says so if it matters.
    beside: async (other) => (await fileSource(join(folder, other), other).catch(() => null))?.text().catch(() => null) ?? null,
    namesIn: async (other) => (await readdir(join(folder, other)).catch(() => [])).toSorted(),
  };
}

/** Makes a source of lines from a text that is already in memory. */
export function textSource(content: string, displayName: string): FileSource {
  return lazySource(displayName, displayName, () => withoutByteOrderMark(content));
}

/** A text that is made when it is asked for, as a source of lines. */
function lazySource(path: string, displayName: string, text: () => string): FileSource {
  const wholeText = async () => text();
  return {
    path,
    displayName,
    encoding: null,
    *lines() {
      let number = 0;
      for (const line of text().split("\n")) {
        number += 1;
        yield { number, text: withoutCarriageReturn(line) };
      }
    },
    text: wholeText,
    document: parsedOnce(wholeText, displayName),
    ...filesBeside(path),
  };
}

function parsedOnce(text: () => Promise<string>, file: string): () => Promise<unknown> {
  let parsed: Promise<unknown> | null = null;
  return () => {
    parsed ??= text().then((content): unknown => {
      if (isNestedDeeper(content))
        throw new PlimsollError("bad-input", `${file}: its JSON is nested too deeply to read`, { file });
      return JSON.parse(content);
    });
    return parsed;
  };
}

/** Reads into the same bytes again and again: only a line that goes on in the next of them is copied before it is decoded. */
function* readLines(path: string, displayName: string, mostBytes: number): Generator<FileLine> {
  let number = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const checkLength = (bytes: number) => {
    if (pendingBytes + bytes > mostBytes)
      throw tooLong(`${displayName}:${number + 1}`, `a line of more than ${mostBytes} bytes`);
  };
  const lineOf = (bytes: Buffer) => {
    checkLength(bytes.length);
    const text = withoutCarriageReturn(decoded(pending.length === 0 ? bytes : Buffer.concat([...pending, bytes])));
    pending = [];
    pendingBytes = 0;
    number += 1;
    return { number, text: number === 1 ? withoutByteOrderMark(text) : text };
  };
  let file: number | null = null;
  try {
    file = openRegularFileSync(path);
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      const bytes = chunk.subarray(0, length);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        yield lineOf(bytes.subarray(start, end));
        start = end + 1;
      }
      if (start === length) continue;
      checkLength(length - start);
      pendingBytes += length - start;
      pending.push(Buffer.from(bytes.subarray(start)));
    }
  } catch (cause) {
    throw isPlimsollError(cause) ? cause : unreadable(displayName, cause);
  } finally {
    if (file !== null) closeSync(file);
  }
  if (pendingBytes > 0) yield lineOf(Buffer.alloc(0));
}

/** The text of bytes in UTF-8. Those in which every character is one byte are taken as they are, several times as fast. */
function decoded(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString("latin1") : bytes.toString("utf8");
}

function unreadable(file: string, cause: unknown): PlimsollError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const words = reason.startsWith("ENOENT") ? "no such file or folder" : `cannot be read (${reason})`;
  return new PlimsollError("bad-input", `${file}: ${words}`, { file }, cause);
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function withoutCarriageReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** How much of a file is looked at to recognise its format, in UTF-16 code units; its first lines are always read whole. */
const HEAD_CHARS = 1 << 16;

/** How many objects are enough to recognise a format: logs open with a few lines of bookkeeping. */
const HEAD_OBJECTS = 16;

/**
 * Reads the beginning of a file, by which importers recognise it. Its first objects are those of its first lines; for a document, on one line or several,
 * the document itself, or the first objects of its array.
 */
export async function readHead(source: FileSource): Promise<FileHead> {
  const lines: string[] = [];
  let chars = 0;
  let isWhole = true;
  for (const { text } of source.lines()) {
    // The first lines are read whole, however long: behind a line of bookkeeping the first message may be larger than all that is looked at.
    isWhole = chars <= HEAD_CHARS || lines.length < HEAD_OBJECTS;
    if (!isWhole) break;
    chars += text.length;
    lines.push(text);
  }
  const text = lines.join("\n").slice(0, HEAD_CHARS);
  // All of a file that is one line is parsed as a document, which is not parsed again then.
  const objects = isWhole && lines.length === 1 ? [] : objectsOn(lines);
  const opening = text.trimStart()[0];
  // A list with an item on each line ends with one that reads as a line of its own, as do objects deep in a document that is laid out on lines.
  const isDocument = opening === "[" || (opening === "{" && (objects.length === 0 || /^\s*\{\s*\n/.test(text)));
  const inDocument = isDocument ? await documentObjects(source) : [];
  return { text, firstObjects: inDocument.length > 0 ? inDocument : objects };
}

function objectsOn(lines: readonly string[]): readonly Fields[] {
  const objects: Fields[] = [];
  for (const line of lines) {
    const value = parseRecord(line);
    // Two writers may have met on a line.
    const values = value === null && line.startsWith("{") ? splitObjects(line).objects.map(parseRecord) : [value];
    objects.push(...values.filter((each) => each !== null));
    if (objects.length >= HEAD_OBJECTS) break;
  }
  return objects;
}

async function documentObjects(source: FileSource): Promise<readonly Fields[]> {
  try {
    const value = await source.document();
    if (Array.isArray(value)) return value.filter(isRecord).slice(0, HEAD_OBJECTS);
    return isRecord(value) ? [value] : [];
  } catch (error) {
    if (isPlimsollError(error)) throw error;
    // Not a JSON document: no format will recognise it, and the registry says so.
    return [];
  }
}
