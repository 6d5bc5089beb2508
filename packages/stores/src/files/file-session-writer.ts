import { fstatSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { encodeLog, PlimsollError, type SessionEntry, type SessionWriter } from "@plimsoll/core";
import { decodeEntry, MORE_FOLLOWS } from "@plimsoll/core/extend";
import { type LogIndex, logTooLarge, MAXIMUM_LOG_BYTES } from "./log-reader.ts";
import { fileFailure, guarded, hasCode } from "./regular-file.ts";

/** When appended lines are forced to the disk: at each append, or only when the log is closed. */
export type SyncPolicy = "every-append" | "on-close";

/** The functions of an open file that a writer needs. */
export type LogHandle = Pick<FileHandle, "fd" | "read" | "appendFile" | "datasync" | "truncate" | "close">;

/** An open log file, at the end of its last whole line. */
export interface LogFile {
  readonly sessionId: string;
  readonly path: string;
  readonly file: LogHandle;
  /** Size of the file. */
  readonly bytes: number;
  /** Where its entries are; grows with each append. */
  readonly index: LogIndex;
  readonly sync: SyncPolicy;
  readonly release: () => Promise<void>;
}

/** Lines for the end of a log that are there together or not at all: a reader leaves out a last batch whose last line is not there. */
export function encodeBatch(entries: readonly SessionEntry[]): readonly string[] {
  return entries.map((entry, index) => `${index + 1 < entries.length ? MORE_FOLLOWS : ""}${encodeLog([entry])}`);
}

/**
 * The writer of a log file. Appends run one after the other; after a failed one the file is cut back to its last whole line. A file that does not
 * have the size that this writer left is a conflict; lines that another writer appends between that look and the write are found at the next append.
 */
export function createFileSessionWriter(log: LogFile): SessionWriter {
  const { sessionId, path, file, index } = log;
  let bytes = log.bytes;
  let isOpen = true;
  let isTorn = false;
  let previous: Promise<void> = Promise.resolve();

  const assertOpen = () => {
    if (!isOpen) throw new PlimsollError("bad-session", `session ${sessionId} is closed`, { sessionId });
  };
  const cutBack = async () => {
    isTorn = true;
    await file.truncate(bytes);
    isTorn = false;
  };
  const appendNow = async (lines: readonly string[]): Promise<void> => {
    assertOpen();
    const sizes = lines.map((line) => Buffer.byteLength(line));
    const after = sizes.reduce((sum, size) => sum + size, bytes);
    if (after > MAXIMUM_LOG_BYTES) throw logTooLarge(path, after);
    await guarded(path, async () => {
      if (isTorn) await cutBack();
      assertAsLeft(log, bytes);
    });
    try {
      for (const line of lines) await file.appendFile(line, "utf8");
      if (log.sync === "every-append") await file.datasync();
    } catch (error) {
      await cutBack().catch(() => undefined);
      throw fileFailure(path, error);
    }
    for (const size of sizes) {
      index.add(bytes, bytes + size);
      bytes += size;
    }
  };
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = previous.then(work);
    // The next append does not fail because this one did.
    previous = next.catch(() => undefined);
    return next;
  };
  return {
    sessionId,
    append: async (entries) => {
      const lines = encodeBatch(entries);
      await inTurn(() => appendNow(lines));
    },
    entryAt: async (entryIndex) => {
      assertOpen();
      return await entryIn(log, entryIndex);
    },
    close: () =>
      inTurn(async () => {
        if (!isOpen) return;
        isOpen = false;
        try {
          await file.datasync();
        } catch (error) {
          // Not every file can be forced to a disk.
          if (!hasCode(error, "EINVAL")) throw fileFailure(path, error);
        } finally {
          await file.close().finally(log.release);
        }
      }),
  };
}

/** At once: on a thread the look takes twenty times as long, as much as the write. */
function assertAsLeft({ sessionId, path, file }: LogFile, expected: number): void {
  const { nlink, size } = fstatSync(file.fd);
  // A file that someone removed can still be written to, and the lines would be lost.
  if (nlink === 0)
    throw new PlimsollError("bad-session", `${path}: the session's log was removed while it was in use`, { file: path });
  if (size === expected) return;
  throw new PlimsollError(
    "session-conflict",
    `${path}: another writer wrote to session ${sessionId} (${size} bytes instead of ${expected}); open it again to continue from there`,
    { sessionId, file: path, expected, found: size },
  );
}

async function entryIn({ sessionId, path, file, index }: LogFile, entryIndex: number): Promise<SessionEntry> {
  const place = index.bytesOf(entryIndex);
  if (place === null)
    throw new PlimsollError("bad-input", `session ${sessionId} has no entry at ${entryIndex}`, { sessionId, entryIndex });
  const line = Buffer.allocUnsafe(place.endByte - place.startByte);
  try {
    await file.read(line, 0, line.length, place.startByte);
  } catch (error) {
    throw fileFailure(path, error);
  }
  return decodeEntry(line.toString("utf8"), { file: path, line: entryIndex + 1 });
}
