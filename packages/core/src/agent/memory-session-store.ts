import type { SessionEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import type { EntryListener, SessionStore, SessionSummary, SessionWriter } from "../ports.ts";
import { encodeEntry } from "../session/codec.ts";
import { utf8Bytes } from "../text.ts";
import { branchEntries } from "./branch-entries.ts";
import { sessionTitle } from "./session-title.ts";

/** A session store that lives as long as the process. */
export function createMemorySessionStore(): SessionStore {
  const logs = new Map<string, SessionEntry[]>();
  const written = new Set<string>();

  const writerOf = (sessionId: string, log: SessionEntry[]): SessionWriter => {
    written.add(sessionId);
    let isOpen = true;
    const assertOpen = () => {
      if (!isOpen) throw new PlimsollError("bad-session", `session ${sessionId} is closed`, { sessionId });
    };
    return {
      sessionId,
      append: async (entries) => {
        assertOpen();
        // What a file could not take is refused here, too.
        for (const entry of entries) encodeEntry(entry);
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
  };
  const found = (sessionId: string): SessionEntry[] => {
    const log = logs.get(sessionId);
    if (log === undefined) throw new PlimsollError("bad-session", `there is no session ${sessionId}`, { sessionId });
    return log;
  };
  const createWith = (sessionId: string, entries: readonly SessionEntry[]): SessionWriter => {
    if (written.has(sessionId)) throw inUse(sessionId);
    if (logs.has(sessionId)) throw new PlimsollError("bad-session", `session ${sessionId} exists already`, { sessionId });
    for (const entry of entries) encodeEntry(entry);
    const log = [...entries];
    logs.set(sessionId, log);
    return writerOf(sessionId, log);
  };

  return {
    create: async (start) => createWith(start.id, [start]),
    open: async (sessionId, onEntry) => {
      const log = found(sessionId);
      if (written.has(sessionId)) throw inUse(sessionId);
      const entries = handedOver(log, onEntry);
      return { writer: writerOf(sessionId, log), entries, cutOff: null };
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

/** The entries, or none if a listener took them. */
function handedOver(log: readonly SessionEntry[], onEntry: EntryListener | undefined): readonly SessionEntry[] {
  if (onEntry === undefined) return [...log];
  for (const entry of log) onEntry(entry);
  return [];
}

function inUse(sessionId: string): PlimsollError {
  return new PlimsollError("session-conflict", `session ${sessionId} is in use by another writer`, { sessionId });
}

function summaryOf(sessionId: string, log: readonly SessionEntry[]): SessionSummary {
  const [start] = log;
  const isStart = start?.type === "session";
  return {
    sessionId,
    createdMs: isStart ? start.createdMs : null,
    updatedMs: null,
    parentId: isStart ? (start.parent?.sessionId ?? null) : null,
    bytes: log.reduce((sum, entry) => sum + utf8Bytes(encodeEntry(entry)), 0),
    title: sessionTitle(log),
  };
}
