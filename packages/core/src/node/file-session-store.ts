import { mkdir, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { branchEntries } from "../agent/branch-entries.ts";
import type { SessionEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import type { OpenedSession, SessionStore, StoredSession } from "../ports.ts";
import { decodeLog } from "../session/codec.ts";
import { fileFailure, hasCode } from "./file-failure.ts";
import { createFileSessionWriter, type SyncPolicy } from "./file-session-writer.ts";
import { sessionSummary } from "./session-summary.ts";
import { takeWriterLock } from "./writer-lock.ts";

/** Where logs are kept, and when they are forced to the disk (default: at each append). */
export interface FileSessionStoreOptions {
  readonly folder: string;
  readonly sync?: SyncPolicy;
}

const LOG_SUFFIX = ".jsonl";

/**
 * A session store in a folder: one JSONL file a session, one line an entry, only ever appended to. A file has one writer at a time, told by
 * a lock file beside it; readers need none.
 */
export function createFileSessionStore({ folder, sync = "every-append" }: FileSessionStoreOptions): SessionStore {
  const pathOf = (sessionId: string) => join(folder, `${usableId(sessionId)}${LOG_SUFFIX}`);

  const createWith = async (sessionId: string, entries: readonly SessionEntry[]): Promise<OpenedSession> => {
    const path = pathOf(sessionId);
    await guarded(path, () => mkdir(folder, { recursive: true }));
    const release = await guarded(path, () => takeWriterLock(path));
    try {
      const file = await guarded(path, () => open(path, "ax")).catch((error: unknown) => {
        throw isErrno(error, "EEXIST") ? existsAlready(sessionId) : error;
      });
      const writer = createFileSessionWriter({ sessionId, path, file, bytes: 0, sync, release });
      await writer.append(entries).catch(async (error: unknown) => {
        await writer.close();
        await rm(path, { force: true });
        throw error;
      });
      return { writer, entries, cutOff: null };
    } catch (error) {
      await release();
      throw error;
    }
  };
  const read = async (sessionId: string): Promise<StoredSession | null> => {
    const path = pathOf(sessionId);
    const bytes = await bytesAt(path);
    if (bytes === null) return null;
    const { entries, cutOff } = logOf(bytes, path);
    return { entries, cutOff };
  };

  return {
    create: async (start) => (await createWith(start.id, [start])).writer,
    open: async (sessionId) => {
      const path = pathOf(sessionId);
      if (!(await stat(path).then(isFile, () => false))) throw noSuchSession(sessionId);
      const release = await guarded(path, () => takeWriterLock(path));
      try {
        const log = logOf((await bytesAt(path)) ?? Buffer.alloc(0), path);
        const file = await guarded(path, () => open(path, "a"));
        if (log.cutOff !== null) await guarded(path, () => file.truncate(log.wholeBytes));
        if (log.cutOff === null && log.lacksLineEnd) await guarded(path, () => file.appendFile("\n"));
        const bytes = log.wholeBytes + (log.cutOff === null && log.lacksLineEnd ? 1 : 0);
        const writer = createFileSessionWriter({ sessionId, path, file, bytes, sync, release });
        return { writer, entries: log.entries, cutOff: log.cutOff };
      } catch (error) {
        await release();
        throw error;
      }
    },
    read,
    list: async () => {
      const names = await readdir(folder).catch((error: unknown) => {
        if (hasCode(error, "ENOENT")) return [];
        throw fileFailure(folder, error);
      });
      const logs = names.filter((name) => name.endsWith(LOG_SUFFIX));
      const found = await Promise.all(
        logs.map((name) => sessionSummary(join(folder, name), name.slice(0, -LOG_SUFFIX.length))),
      );
      return found.filter((each) => each !== null).sort((a, b) => (b.updatedMs ?? 0) - (a.updatedMs ?? 0));
    },
    branch: async (source) => {
      const stored = await read(source.sessionId);
      if (stored === null) throw noSuchSession(source.sessionId);
      return await createWith(source.newSessionId, branchEntries(stored.entries, source));
    },
  };
}

interface ReadLog extends StoredSession {
  /** Bytes of the whole lines: what stays of a log with a cut-off last line. */
  readonly wholeBytes: number;
  /** The last entry is whole, only its line end is missing. */
  readonly lacksLineEnd: boolean;
}

const LINE_END = 0x0a;

function logOf(bytes: Buffer, path: string): ReadLog {
  const { entries, cutOff } = decodeLog(bytes.toString("utf8"), path);
  const lacksLineEnd = bytes.length > 0 && bytes[bytes.length - 1] !== LINE_END;
  const wholeBytes = cutOff === null ? bytes.length : bytes.lastIndexOf(LINE_END) + 1;
  return {
    entries,
    cutOff: cutOff === null ? null : { line: cutOff.line, bytes: bytes.length - wholeBytes },
    wholeBytes,
    lacksLineEnd,
  };
}

async function bytesAt(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw fileFailure(path, error);
  }
}

/** An id that is a file name of its own: letters, digits, `.`, `_` and `-`, and no leading dot. */
function usableId(sessionId: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(sessionId)) return sessionId;
  throw new PlimsollError("bad-input", `"${sessionId}" cannot be a session's id: use letters, digits, ".", "_" and "-"`);
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileFailure(path, error);
  }
}

function isErrno(error: unknown, errno: string): boolean {
  return error instanceof PlimsollError && error.details.errno === errno;
}

function isFile(stats: { isFile(): boolean }): boolean {
  return stats.isFile();
}

function existsAlready(sessionId: string): PlimsollError {
  return new PlimsollError("bad-session", `session ${sessionId} exists already`, { sessionId });
}

function noSuchSession(sessionId: string): PlimsollError {
  return new PlimsollError("bad-session", `there is no session ${sessionId}`, { sessionId });
}
