import { createHash, hash } from "node:crypto";
import { statSync, utimesSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { deserialize, serialize } from "node:v8";
import { crc32 } from "node:zlib";
import { canonicalJson } from "@plimsoll/core/internal";
import { readRegularFile, temporaryName } from "@plimsoll/core/node";
import { hashOfFile } from "../formats/file-source.ts";
import type { FileSource } from "../formats/importer.ts";
import type { KeptSession } from "../replay/prepared-session.ts";
import { type FileStamp, STAMP_BYTES, stampOfFile } from "./file-stamp.ts";
import { once } from "./once.ts";
import { removeOldest } from "./remove-oldest.ts";

/** Where prepared sessions are kept for the runs that follow. Plain data. */
export interface SessionCache {
  readonly folder: string;
  /** Of everything that preparing depends on, apart from the file; another version finds nothing. */
  readonly version: string;
  /** The folder's bytes, above which the entries go that were not used for the longest time. */
  readonly mostBytes: number;
}

/** What is kept of a file. */
export interface KeptFile {
  readonly sessions: readonly KeptSession[];
  /** SHA-256 of everything that was imported. */
  readonly contentHash: string;
}

/** How it is told whether a file is still the same. */
export interface FileIdentity {
  /** `null` if a change could leave it as it is, and for what is no file. */
  readonly stampOf: (path: string) => FileStamp | null;
  /** Of everything that is in it. Rejects if it cannot be read. */
  readonly hashOf: (path: string, displayName: string) => Promise<string>;
}

/** The prepared sessions of files. */
export type KeptSessions = (file: NamedFile) => KeptOfFile;

/** A file, and the name that it has in what was prepared of it. */
type NamedFile = Pick<FileSource, "path" | "displayName">;

/** What is kept of one file. What was not kept, is damaged or was made from other bytes is absent, without a word. */
export interface KeptOfFile {
  /** What is kept of the file as it was when it was asked for first. */
  read(source: FileSource): Promise<KeptFile | null>;
  /** Keeps what was made of the file; `neighbours` are what was read in addition to it. */
  keep(neighbours: readonly Neighbour[], make: () => Promise<KeptFile>): Promise<void>;
}

/** Something beside a file that its import asked for, with a hash of what it was; `null` if it was not there. */
export interface Neighbour {
  readonly kind: "file" | "folder";
  readonly path: string;
  readonly hash: string | null;
}

/** Keeps nothing. */
export const NO_SESSIONS_KEPT: KeptSessions = () => ({ read: () => Promise.resolve(null), keep: () => Promise.resolve() });

/** Of a larger file nothing is kept: packing it would take as much memory again (chosen). */
const LARGEST_FILE_BYTES = 256 * 2 ** 20;

/** After so many bytes the folder is looked at again, for other processes write to it too (chosen). */
const LOOK_BYTES = 64 * 2 ** 20;

/** What an entry begins with: four letters, the check sum of what follows the stamp, the stamp of the file that it was made from or zeros. */
const MARK = "PLKS";
const SUM_AT = 4;
const STAMP_AT = 8;
const BODY_AT = STAMP_AT + STAMP_BYTES;

/** An entry quotes a session. */
const OWNER_FOLDER = 0o700;
const OWNER_FILE = 0o600;

/**
 * Opens a cache. Each file's sessions are one entry, whole or not there, whoever else writes at the same time. A file is the same if its stamp is
 * the one that was noted, else if all of its bytes are.
 */
export function openKeptSessions(
  { folder, version, mostBytes }: SessionCache,
  { stampOf, hashOf }: FileIdentity = FILE_IDENTITY,
): KeptSessions {
  let unseenBytes = LOOK_BYTES;
  const write = async (entry: string, { head, body }: PackedEntry) => {
    const temporary = temporaryName(entry);
    try {
      await mkdir(folder, { recursive: true, mode: OWNER_FOLDER });
      await writeFile(temporary, [head, body], { mode: OWNER_FILE, flag: "wx" });
      await rename(temporary, entry);
    } catch {
      // A full disk costs the next run its time, not this one its result.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
    unseenBytes += head.length + body.length;
    if (unseenBytes < LOOK_BYTES) return;
    unseenBytes = 0;
    await removeOldest(folder, mostBytes).catch(() => undefined);
  };
  return ({ path, displayName }) => {
    const entry = join(folder, nameOf({ path, displayName }, version));
    const hashNow = async () => (isTooLarge(path) ? null : hashOf(path, displayName).catch(() => null));
    let known: FileState | null = null;
    const before = () => {
      known ??= { stamp: stampOf(path), bytesHash: once(hashNow) };
      return known;
    };
    const isSameFile = async ({ stamp, bytesHash }: FileState) =>
      stamp === null ? (await hashNow()) === (await bytesHash()) : stampOf(path)?.equals(stamp) === true;
    return {
      read: async (source) => {
        const { stamp, bytesHash } = before();
        const found = readEntry(entry);
        const isStamped = stamp !== null && found?.stamp.equals(stamp) === true;
        // Without a stamp nothing else will say whether the file changes while it is imported.
        const hashBefore = isStamped || (found === null && stamp !== null) ? null : await bytesHash();
        if (found === null || !(isStamped || found.value.bytesHash === hashBefore)) return null;
        const { neighbours, sessions, contentHash } = found.value;
        for (const neighbour of neighbours) if ((await hashOfNeighbour(neighbour, source)) !== neighbour.hash) return null;
        if (isStamped || stamp === null) markUsed(entry);
        else await write(entry, packed(found.body, stamp));
        return { sessions, contentHash };
      },
      keep: async (neighbours, make) => {
        const state = before();
        const bytesHash = await state.bytesHash();
        if (bytesHash === null) return;
        const body = serialize({ ...(await make()), neighbours, bytesHash } satisfies Entry);
        if (BODY_AT + body.length <= mostBytes && (await isSameFile(state))) await write(entry, packed(body, state.stamp));
      },
    };
  };
}

/** A file as it was when it was asked for first. The hash is made when it is needed: `null` for a file that is too large or cannot be read. */
interface FileState {
  readonly stamp: FileStamp | null;
  readonly bytesHash: () => Promise<string | null>;
}

const FILE_IDENTITY: FileIdentity = { stampOf: (path) => stampOfFile(path, Date.now()), hashOf: hashOfFile };

/** What a file's entry is called. What was made of it before, from other bytes, has the same name. */
function nameOf(file: NamedFile, version: string): string {
  const made = { version, v8: process.versions.v8, ...file };
  return `${hash("sha256", canonicalJson(made), "hex")}.session`;
}

function isTooLarge(path: string): boolean {
  try {
    return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_FILE_BYTES;
  } catch {
    // The import says what is wrong with it.
    return false;
  }
}

/** An entry's time is that of its last use. */
function markUsed(entry: string): void {
  const now = new Date();
  try {
    utimesSync(entry, now, now);
  } catch {
    // Removed by another process since it was read.
  }
}

interface Entry extends KeptFile {
  readonly neighbours: readonly Neighbour[];
  /** Of the file that it was made from. */
  readonly bytesHash: string;
}

interface PackedEntry {
  readonly head: Buffer;
  readonly body: Buffer;
}

function packed(body: Buffer, stamp: FileStamp | null): PackedEntry {
  const head = Buffer.alloc(BODY_AT);
  head.write(MARK, "latin1");
  head.writeUInt32LE(crc32(body), SUM_AT);
  stamp?.copy(head, STAMP_AT);
  return { head, body };
}

/** The most bytes of an entry: a long log has a hundredth of it; chosen. */
const MAXIMUM_BYTES = 2_000_000_000;

/** The entry, if it is there and whole. That it holds what it should follows from its check sum and from the version in its name. */
function readEntry(path: string): { readonly value: Entry; readonly stamp: FileStamp; readonly body: Buffer } | null {
  try {
    const bytes = readRegularFile(path, MAXIMUM_BYTES);
    const body = bytes.subarray(BODY_AT);
    const isWhole = bytes.toString("latin1", 0, MARK.length) === MARK && bytes.readUInt32LE(SUM_AT) === crc32(body);
    return isWhole ? { value: deserialize(body), stamp: bytes.subarray(STAMP_AT, BODY_AT), body } : null;
  } catch {
    // Absent or damaged: it is made anew.
    return null;
  }
}

/** A source that notes what is read beside the file. */
export function watchedSource(source: FileSource): { readonly source: FileSource; readonly neighbours: readonly Neighbour[] } {
  const neighbours: Neighbour[] = [];
  return {
    neighbours,
    source: {
      ...source,
      beside: async (path) => {
        const text = await source.beside(path);
        neighbours.push({ kind: "file", path, hash: text === null ? null : hashOfText(text) });
        return text;
      },
      namesIn: async (path) => {
        const names = await source.namesIn(path);
        neighbours.push({ kind: "folder", path, hash: hashOfText(names.join("/")) });
        return names;
      },
    },
  };
}

async function hashOfNeighbour({ kind, path }: Neighbour, source: FileSource): Promise<string | null> {
  if (kind === "folder") return hashOfText((await source.namesIn(path)).join("/"));
  const text = await source.beside(path);
  return text === null ? null : hashOfText(text);
}

function hashOfText(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
