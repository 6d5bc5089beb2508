import {
  type EntryListener,
  encodeLog,
  PlimsollError,
  type SessionBranch,
  type SessionEntry,
  type SessionStore,
  type SessionSummary,
  type SessionWriter,
} from "@plimsoll/core";
import { entryIdOf } from "@plimsoll/core/extend";
import { branchEntry, inUse, noSuchEntry, noSuchSession, sessionTitle } from "./session-log.ts";

/** Makes a session store in memory: its logs are lost when the process ends. */
export function createMemorySessionStore(): SessionStore {
  const logs = new Map<string, SessionEntry[]>();
  const written = new Set<string>();

  const writerOf = (sessionId: string, log: SessionEntry[]) => memoryWriter(sessionId, log, written);
  const found = (sessionId: string): SessionEntry[] => {
    const log = logs.get(sessionId);
    if (log === undefined) throw noSuchSession(sessionId);
    return log;
  };
  const createWith = (sessionId: string, entries: readonly SessionEntry[]): SessionWriter => {
    if (written.has(sessionId)) throw inUse(sessionId);
    if (logs.has(sessionId)) throw new PlimsollError("bad-session", `session ${sessionId} exists already`, { sessionId });
    for (const entry of entries) encodeLog([entry]);
    const log = [...entries];
    logs.set(sessionId, log);
    return writerOf(sessionId, log);
  };

  return {
    create: async (start) => createWith(start.id, [start]),
    open: async (sessionId, onEntry) => {
      const log = found(sessionId);
      if (written.has(sessionId)) throw inUse(sessionId);
      const writer = writerOf(sessionId, log);
      try {
        return { writer, entries: handedOver(log, onEntry), cutOff: null };
      } catch (error) {
        await writer.close();
        throw error;
      }
    },
    read: async (sessionId, onEntry) => {
      const log = logs.get(sessionId);
      return log === undefined ? null : { entries: handedOver(log, onEntry), cutOff: null };
    },
    list: async () => [...logs].map(([sessionId, log]) => summaryOf(sessionId, log)).reverse(),
    branch: async (source, onEntry) => {
      const entries = branchEntries(found(source.sessionId), source);
      const taken = handedOver(entries, onEntry);
      return { writer: createWith(source.newSessionId, entries), entries: taken, cutOff: null };
    },
    delete: async (sessionId) => {
      if (written.has(sessionId)) throw inUse(sessionId);
      logs.delete(sessionId);
    },
  };
}

/** A writer of one log, noted among those that are written until it is closed. */
function memoryWriter(sessionId: string, log: SessionEntry[], written: Set<string>): SessionWriter {
  written.add(sessionId);
  let isOpen = true;
  const assertOpen = () => {
    if (!isOpen) throw new PlimsollError("bad-session", `session ${sessionId} is closed`, { sessionId });
  };
  return {
    sessionId,
    append: async (entries) => {
      assertOpen();
      // Entries that a file could not take are refused here, too.
      for (const entry of entries) encodeLog([entry]);
      for (const entry of entries) log.push(entry);
    },
    entryAt: async (index) => {
      assertOpen();
      const entry = log[index];
      if (entry !== undefined) return entry;
      throw new PlimsollError("bad-input", `session ${sessionId} has no entry at ${index}`, { sessionId, entryIndex: index });
    },
    close: async () => {
      if (isOpen) written.delete(sessionId);
      isOpen = false;
    },
  };
}

/** The entries, or none if a listener took them. */
function handedOver(log: readonly SessionEntry[], onEntry: EntryListener | undefined): readonly SessionEntry[] {
  const entries = [...log];
  if (onEntry === undefined) return entries;
  for (const entry of entries) onEntry(entry);
  return [];
}

function summaryOf(sessionId: string, log: readonly SessionEntry[]): SessionSummary {
  const [start] = log;
  const isStart = start?.type === "session";
  return {
    sessionId,
    createdMs: isStart ? start.createdMs : null,
    updatedMs: null,
    parentId: isStart ? (start.parent?.sessionId ?? null) : null,
    bytes: log.reduce((sum, entry) => sum + Buffer.byteLength(encodeLog([entry])), 0),
    title: sessionTitle(log),
  };
}

/**
 * The entries of a branch: those through the one named, the first with the branch's own id.
 *
 * @throws PlimsollError `bad-input` if the log has no such entry.
 */
function branchEntries(entries: readonly SessionEntry[], branch: SessionBranch): readonly SessionEntry[] {
  const last = entries.findIndex((entry) => entryIdOf(entry) === branch.throughEntryId);
  if (last < 0) throw noSuchEntry(branch);
  return entries.slice(0, last + 1).map((entry) => branchEntry(entry, branch));
}
