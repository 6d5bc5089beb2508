import type { SessionEntry, SessionStartEntry } from "../entry.ts";

/**
 * Keeps session logs, one writer each. Every function rejects with `bad-session` where a log is damaged, in use by another writer or
 * cannot be written, and with `bad-input` for an id that cannot be used.
 */
export interface SessionStore {
  /** A new log that begins with this entry. Rejects where a log of that id exists. */
  create(start: SessionStartEntry): Promise<SessionWriter>;
  /** Opens a log to go on with it. A cut-off last line is removed and reported. Rejects where there is no such log. */
  open(sessionId: string): Promise<OpenedSession>;
  /** The log as it is now, without becoming its writer; `null` for a log that the store does not have. */
  read(sessionId: string): Promise<StoredSession | null>;
  /** All logs, the one that was written last first. */
  list(): Promise<readonly SessionSummary[]>;
  /** A new log that begins as another one did, through the entry named, and goes its own way from there. */
  branch(source: SessionBranch): Promise<OpenedSession>;
}

/** The one writer of a log. */
export interface SessionWriter {
  readonly sessionId: string;
  /** Resolves when the entries are in the log. After a rejection the log is what it was before. */
  append(entries: readonly SessionEntry[]): Promise<void>;
  /** Gives the log free for other writers. */
  close(): Promise<void>;
}

/** A log as it was read, and what a crash left of a last line. */
export interface StoredSession {
  readonly entries: readonly SessionEntry[];
  /** The cut-off last line that is not among the entries, or `null`. */
  readonly cutOff: { readonly line: number; readonly bytes: number } | null;
}

/** A log with its writer. */
export interface OpenedSession extends StoredSession {
  readonly writer: SessionWriter;
}

/** Where a new log parts from another one. The first entry goes over with the new id; `throughEntryId` is the last entry that does. */
export interface SessionBranch {
  readonly sessionId: string;
  readonly throughEntryId: string;
  readonly newSessionId: string;
  readonly nowMs: number | null;
}

/** What a list of logs shows. */
export interface SessionSummary {
  readonly sessionId: string;
  readonly createdMs: number | null;
  /** When it was last written to; `null` where the store does not know. */
  readonly updatedMs: number | null;
  readonly parentId: string | null;
  readonly bytes: number;
  /** Beginning of the first human message, or `null`. */
  readonly title: string | null;
}
