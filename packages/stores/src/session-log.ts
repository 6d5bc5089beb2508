import { isHuman, PlimsollError, type SessionBranch, type SessionEntry, textOf } from "@plimsoll/core";
import { characterBoundaryAtOrBefore } from "@plimsoll/core/extend";

/** An id that is a file name of its own: letters, digits, `.`, `_` and `-`, and no leading dot. */
export function usableId(sessionId: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(sessionId)) return sessionId;
  throw new PlimsollError("bad-input", `"${sessionId}" cannot be a session's id: use letters, digits, ".", "_" and "-"`);
}

/** The error for a log that the store does not have. */
export function noSuchSession(sessionId: string): PlimsollError {
  return new PlimsollError("bad-session", `there is no session ${sessionId}`, { sessionId });
}

/** The error for a log that another writer has. `holder` says who it is. */
export function inUse(sessionId: string, holder: string = "another writer of this process"): PlimsollError {
  return new PlimsollError("session-conflict", `session ${sessionId} is in use by ${holder}`, { sessionId, holder });
}

/** An entry as a branch has it: a log's first one carries the branch's own id. */
export function branchEntry(entry: SessionEntry, branch: SessionBranch): SessionEntry {
  return entry.type === "session" ? { ...entry, id: branch.newSessionId, createdMs: branch.nowMs } : entry;
}

/** The error for a branch through an entry that the log does not have. */
export function noSuchEntry({ sessionId, throughEntryId }: SessionBranch): PlimsollError {
  return new PlimsollError("bad-input", `session ${sessionId} has no entry ${throughEntryId}`, { sessionId, throughEntryId });
}

/** Longest title, in UTF-16 code units: a line of a list; chosen. */
const TITLE_CHARS = 80;

/** The beginning of the first line of the first human message; `null` if none of the entries is one. */
export function sessionTitle(entries: Iterable<SessionEntry>): string | null {
  for (const entry of entries) {
    if (entry.type !== "message" || !isHuman(entry.message)) continue;
    const [line = ""] = textOf(entry.message).trim().split("\n", 1);
    return line.slice(0, characterBoundaryAtOrBefore(line, TITLE_CHARS));
  }
  return null;
}
