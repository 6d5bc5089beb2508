import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  type EntryListener,
  encodeLog,
  isPlimsollError,
  type OpenedSession,
  PlimsollError,
  type SessionBranch,
  type SessionEntry,
  type SessionStore,
  type SessionSummary,
  type SessionWriter,
  type StoredSession,
} from "@plimsoll/core";
import { decodeEntry, entryIdOf, MORE_FOLLOWS, option } from "@plimsoll/core/extend";
import { z } from "zod";
import { branchEntry, noSuchEntry, noSuchSession, sessionTitle, usableId } from "../session-log.ts";
import type { StreamingArtifactStore } from "./file-artifact-store.ts";
import { createFileSessionWriter, type SyncPolicy } from "./file-session-writer.ts";
import { createLogIndex, type LogIndex, type ReadableLog, readLog } from "./log-reader.ts";
import {
  fileFailure,
  guarded,
  hasCode,
  makeOwnerOnly,
  OWNER_ONLY_FILE_MODE,
  OWNER_ONLY_FOLDER_MODE,
  openRegularFile,
} from "./regular-file.ts";
import { takeWriterLock } from "./writer-lock.ts";

/** Where logs are kept, and when they are forced to the disk (default: at each append). */
export interface FileSessionStoreOptions {
  readonly folder: string;
  readonly sync?: SyncPolicy;
}

const OPTIONS = option.schema<FileSessionStoreOptions>({
  folder: option.text,
  sync: z.enum(["every-append", "on-close"]).optional(),
});

const LOG_SUFFIX = ".jsonl";

/**
 * Makes a session store in a folder: one append-only JSONL file per session, one line per entry, readable only by its owner. A file has one writer
 * at a time, shown by a lock file next to it; readers need none. The file's size reveals a writer that got past the lock.
 */
export function createFileSessionStore(options: FileSessionStoreOptions): SessionStore {
  option.check("a file store", OPTIONS, options);
  const { folder, sync = "every-append" } = options;
  const logOf = (sessionId: string): LogFile => ({
    sessionId,
    folder,
    path: join(folder, `${usableId(sessionId)}${LOG_SUFFIX}`),
    sync,
  });
  return {
    create: async (start) => createLog(logOf(start.id), (file, index) => writeStart(start, file, index)),
    open: async (sessionId, onEntry) => openLog(logOf(sessionId), onEntry),
    read: async (sessionId, onEntry) => {
      const { entries, take } = listening(onEntry);
      const end = await reading(logOf(sessionId).path, (log) => readLog(log, createLogIndex(), take));
      return end === null ? null : { entries, cutOff: end.cutOff };
    },
    list: () => summariesIn(folder),
    branch: async (source, onEntry) => {
      const { entries, take } = listening(onEntry);
      const writer = await reading(logOf(source.sessionId).path, async (log) => {
        const part = await readBranch(log, source, take);
        return await createLog(logOf(source.newSessionId), (file, index) => writeBranch(part, file, index));
      });
      if (writer === null) throw noSuchSession(source.sessionId);
      return { writer, entries, cutOff: null };
    },
    delete: async (sessionId) => {
      const { path } = logOf(sessionId);
      try {
        const release = await takeWriterLock({ sessionId, path });
        await rm(path, { force: true }).finally(release);
      } catch (error) {
        // Without the folder there is no log.
        if (!hasCode(error, "ENOENT")) throw fileFailure(path, error);
      }
    },
  };
}

/** The file of one session, and when it is forced to the disk. */
interface LogFile {
  readonly sessionId: string;
  readonly folder: string;
  readonly path: string;
  readonly sync: SyncPolicy;
}

type LockedWork = (file: FileHandle, release: () => Promise<void>) => Promise<SessionWriter>;

/** Takes the lock of a log and opens its file; gives both back if the work fails. */
async function locked(
  { sessionId, path }: LogFile,
  openFile: () => Promise<FileHandle>,
  work: LockedWork,
): Promise<SessionWriter> {
  const release = await guarded(path, () => takeWriterLock({ sessionId, path }));
  try {
    const file = await guarded(path, openFile);
    try {
      return await guarded(path, () => work(file, release));
    } catch (error) {
      await file.close();
      throw error;
    }
  } catch (error) {
    await release();
    throw error;
  }
}

/** Writes the first entries of a log, notes their places and answers with the file's size. */
type Fill = (file: FileHandle, index: LogIndex) => Promise<number>;

async function createLog(log: LogFile, fill: Fill): Promise<SessionWriter> {
  const { sessionId, folder, path, sync } = log;
  await guarded(path, () => mkdir(folder, { recursive: true, mode: OWNER_ONLY_FOLDER_MODE }));
  // A log appears whole or not at all: it is written under another name and linked. A kill's remains go with the drafts of locks.
  const draft = `${path}.lock.${randomUUID()}`;
  const openDraft = () => open(draft, "ax+", OWNER_ONLY_FILE_MODE);
  const writer = locked(log, openDraft, async (file, release) => {
    try {
      const index = createLogIndex();
      const bytes = await fill(file, index);
      if (sync === "every-append") await file.datasync();
      await link(draft, path);
      return createFileSessionWriter({ sessionId, path, file, bytes, index, sync, release });
    } finally {
      await rm(draft, { force: true });
    }
  });
  return await writer.catch((error: unknown) => {
    if (!(isPlimsollError(error) && error.details.errno === "EEXIST")) throw error;
    throw new PlimsollError("bad-session", `session ${sessionId} exists already`, { sessionId });
  });
}

async function writeStart(
  start: Extract<SessionEntry, { readonly type: "session" }>,
  file: FileHandle,
  index: LogIndex,
): Promise<number> {
  const line = encodeLog([start]);
  await file.writeFile(line);
  index.add(0, Buffer.byteLength(line));
  return index.endByte();
}

async function openLog(log: LogFile, onEntry: EntryListener | undefined): Promise<OpenedSession> {
  const { sessionId, path, sync } = log;
  if (!(await stat(path).then(isFile, () => false))) throw noSuchSession(sessionId);
  const { entries, take } = listening(onEntry);
  let cutOff: StoredSession["cutOff"] = null;
  const openFile = () => openRegularFile(path, { flags: constants.O_RDWR | constants.O_APPEND });
  const writer = await locked(log, openFile, async (file, release) => {
    await makeOwnerOnly(file);
    const index = createLogIndex();
    const end = await readLog({ path, file }, index, take);
    cutOff = end.cutOff;
    if (cutOff !== null) await file.truncate(end.wholeBytes);
    if (end.lacksLineEnd) await file.writeFile("\n");
    const bytes = end.wholeBytes + (end.lacksLineEnd ? 1 : 0);
    return createFileSessionWriter({ sessionId, path, file, bytes, index, sync, release });
  });
  return { writer, entries, cutOff };
}

/** Lists the logs in a folder, the newest first; nothing for a folder that is not there. */
async function summariesIn(folder: string): Promise<readonly SessionSummary[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return [];
    throw fileFailure(folder, error);
  });
  const logs = names.filter((name) => name.endsWith(LOG_SUFFIX));
  const found = await Promise.all(logs.map((name) => sessionSummary(join(folder, name), name.slice(0, -LOG_SUFFIX.length))));
  return found.filter((each) => each !== null).sort((a, b) => (b.updatedMs ?? 0) - (a.updatedMs ?? 0));
}

/** Gives the entries to a listener, or keeps them if there is none. */
function listening(onEntry: EntryListener | undefined): { readonly entries: SessionEntry[]; readonly take: EntryListener } {
  const entries: SessionEntry[] = [];
  return { entries, take: onEntry ?? ((entry) => entries.push(entry)) };
}

/** Opens a log to read it; `null` for one that is not there. */
async function reading<T>(path: string, work: (log: ReadableLog) => Promise<T>): Promise<T | null> {
  const file = await openRegularFile(path).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return null;
    throw fileFailure(path, error);
  });
  if (file === null) return null;
  try {
    return await work({ path, file });
  } finally {
    await file.close();
  }
}

function isFile(stats: { isFile(): boolean }): boolean {
  return stats.isFile();
}

/** How much of a log is read for its summary: the first entry, with system text and tools, and the first message. Chosen. */
const HEAD_BYTES = 128 * 1024;

/** Reads a log file for a list; `null` for a file that vanished, a link, a pipe or a device. A log that cannot be read is listed without its facts. */
async function sessionSummary(path: string, sessionId: string): Promise<SessionSummary | null> {
  const file = await openRegularFile(path).catch(() => null);
  if (file === null) return null;
  try {
    const { mtimeMs, size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const entries = entriesIn(buffer.toString("utf8", 0, bytesRead), path);
    const start = entries.find((entry) => entry.type === "session");
    return {
      sessionId,
      createdMs: start?.createdMs ?? null,
      updatedMs: mtimeMs,
      parentId: start?.parent?.sessionId ?? null,
      bytes: size,
      title: sessionTitle(entries),
    };
  } finally {
    await file.close();
  }
}

/** The entries of the whole lines of a log's head that can be read. */
function entriesIn(head: string, file: string): readonly SessionEntry[] {
  const lines = head.split("\n").slice(0, -1);
  return lines.flatMap((text, index) => {
    try {
      return [decodeEntry(text, { file, line: index + 1 })];
    } catch {
      // Opening the session reports a damaged line.
      return [];
    }
  });
}

/** The part of a log that a branch begins with: where it is in the source, and its first line as the branch has it. */
interface BranchedPart {
  readonly source: FileHandle;
  readonly index: LogIndex;
  readonly throughIndex: number;
  readonly firstLine: string;
}

/**
 * Reads a log for a branch and hands over the branch's entries.
 *
 * @throws PlimsollError `bad-input` if the log has no such entry, and the errors of {@link readLog}.
 */
async function readBranch(log: ReadableLog, branch: SessionBranch, onEntry: EntryListener): Promise<BranchedPart> {
  const index = createLogIndex();
  let firstLine = "";
  let throughIndex = -1;
  await readLog(log, index, (entry) => {
    if (throughIndex >= 0) return;
    const branched = branchEntry(entry, branch);
    if (index.entryCount() === 0) firstLine = encodeLog([branched]);
    if (entryIdOf(entry) === branch.throughEntryId) throughIndex = index.entryCount();
    onEntry(branched);
  });
  if (throughIndex < 0) throw noSuchEntry(branch);
  return { source: log.file, index, throughIndex, firstLine };
}

/** How much is copied at once; chosen. */
const CHUNK_BYTES = 1024 * 1024;
const LINE_END = "\n";
const MORE_FOLLOWS_BYTE = MORE_FOLLOWS.charCodeAt(0);
/** In the place of the mark before a line that is the last one of a branch. */
const SPACE_BYTE = 0x20;

/** Writes a branch's entries to an empty file: the lines as they are in the source, but for the first. Returns the file's size in bytes. */
async function writeBranch(part: BranchedPart, target: FileHandle, index: LogIndex): Promise<number> {
  const { source, throughIndex, firstLine } = part;
  await target.writeFile(firstLine);
  index.add(0, Buffer.byteLength(firstLine));
  if (throughIndex === 0) return index.endByte();
  const from = part.index.bytesOf(1)?.startByte ?? 0;
  const through = part.index.bytesOf(throughIndex)?.endByte ?? from;
  const shift = index.endByte() - from;
  const lastStart = part.index.bytesOf(throughIndex)?.startByte ?? from;
  const chunk = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, through - from));
  let last = "";
  for (let at = from; at < through; ) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, through - at), at);
    if (at <= lastStart && chunk[lastStart - at] === MORE_FOLLOWS_BYTE) chunk[lastStart - at] = SPACE_BYTE;
    await target.writeFile(chunk.subarray(0, bytesRead));
    last = chunk.toString("latin1", bytesRead - 1, bytesRead);
    at += bytesRead;
  }
  for (let entry = 1; entry <= throughIndex; entry++) {
    const place = part.index.bytesOf(entry);
    if (place !== null) index.add(place.startByte + shift, place.endByte + shift);
  }
  if (last === LINE_END) return through + shift;
  await target.writeFile(LINE_END);
  return through + shift + 1;
}

/** The stores of a session's log and of its cut outputs. */
export interface SessionPlaces {
  readonly sessions: SessionStore;
  readonly artifacts: Pick<StreamingArtifactStore, "delete">;
}

const HANDLE = /artifact:[0-9a-f]{64}/g;

/**
 * Deletes a session with the logs of its sub-agents and the artifacts that no other session names. Reads all logs. Deleting a missing session is fine.
 *
 * @throws PlimsollError `session-conflict` while a writer has one of the logs; `bad-session` if another log is damaged, so that its artifacts are
 * unknown: then the artifacts stay.
 */
export async function deleteSession({ sessions, artifacts }: SessionPlaces, sessionId: string): Promise<void> {
  const family = await familyOf(sessions, sessionId);
  const handles = new Set<string>();
  for (const member of family) await eachHandle(sessions, member, (handle) => handles.add(handle));
  try {
    // The session itself goes last: as long as it is there, the rest of a failed attempt can be found.
    for (const member of [...family].reverse()) await sessions.delete(member);
  } finally {
    for (const other of handles.size === 0 ? [] : await sessions.list())
      await eachHandle(sessions, other.sessionId, (handle) => handles.delete(handle));
    for (const handle of handles) await artifacts.delete(handle);
  }
}

/** A session and its sub-agents' sessions, each after its parent. */
async function familyOf(sessions: SessionStore, sessionId: string): Promise<readonly string[]> {
  const all = await sessions.list();
  const family = new Set([sessionId]);
  // Iterating a set includes members added on the way.
  for (const parent of family) for (const each of all) if (each.parentId === parent) family.add(each.sessionId);
  return [...family];
}

async function eachHandle(sessions: SessionStore, sessionId: string, take: (handle: string) => void): Promise<void> {
  await sessions.read(sessionId, (entry: SessionEntry) => {
    for (const [handle] of encodeLog([entry]).matchAll(HANDLE)) take(handle);
  });
}
