import { sessionTitle } from "../agent/memory-session-store.ts";
import type { SessionEntry } from "../entry.ts";
import type { SessionSummary } from "../ports.ts";
import { decodeEntry } from "../session/codec.ts";
import { openRegularFile } from "./regular-file.ts";

/** How much of a log is read for its summary: the first entry, with system text and tools, and the first message. Chosen. */
const HEAD_BYTES = 128 * 1024;

/** Reads a log file for a list; `null` for a file that vanished, a link, a pipe or a device. A log that cannot be read is listed without its facts. */
export async function sessionSummary(path: string, sessionId: string): Promise<SessionSummary | null> {
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
      // A damaged line is told when the session is opened.
      return [];
    }
  });
}
