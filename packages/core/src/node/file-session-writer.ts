import type { FileHandle } from "node:fs/promises";
import { PlimsollError } from "../error.ts";
import type { SessionWriter } from "../ports.ts";
import { encodeLog } from "../session/codec.ts";
import { fileFailure } from "./file-failure.ts";

/** When what was appended is forced to the disk: at each append, or only when the log is closed. */
export type SyncPolicy = "every-append" | "on-close";

/** An open log file, at the end of its last whole line. */
export interface LogFile {
  readonly sessionId: string;
  readonly path: string;
  readonly file: FileHandle;
  readonly bytes: number;
  readonly sync: SyncPolicy;
  readonly release: () => Promise<void>;
}

/** The writer of a log file. Appends run one after the other; after a failed one the file is cut back to its last whole line. */
export function createFileSessionWriter(log: LogFile): SessionWriter {
  let bytes = log.bytes;
  let isOpen = true;
  let previous: Promise<void> = Promise.resolve();

  const appendNow = async (text: string): Promise<void> => {
    if (!isOpen) throw new PlimsollError("bad-session", `session ${log.sessionId} is closed`, { sessionId: log.sessionId });
    try {
      // A file that someone removed can still be written to, and nobody would ever find what was written.
      if ((await log.file.stat()).nlink === 0)
        throw new PlimsollError("bad-session", `${log.path}: the session's log was removed while it was in use`, {
          file: log.path,
        });
      await log.file.appendFile(text, "utf8");
      if (log.sync === "every-append") await log.file.datasync();
    } catch (error) {
      await log.file.truncate(bytes).catch(() => undefined);
      throw fileFailure(log.path, error);
    }
    bytes += Buffer.byteLength(text);
  };
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = previous.then(work);
    // The next append does not fail because this one did.
    previous = next.catch(() => undefined);
    return next;
  };
  return {
    sessionId: log.sessionId,
    append: (entries) => inTurn(() => appendNow(encodeLog(entries))),
    close: () =>
      inTurn(async () => {
        if (!isOpen) return;
        isOpen = false;
        await log.file.datasync().catch(() => undefined);
        await log.file.close();
        await log.release();
      }),
  };
}
