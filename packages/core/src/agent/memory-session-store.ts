import type { SessionEntry, SessionStartEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import type { SessionStore, SessionSummary, SessionWriter } from "../ports.ts";
import { encodeLog } from "../session/codec.ts";
import { utf8Bytes } from "../text.ts";
import { branchEntries } from "./branch-entries.ts";
import { sessionTitle } from "./session-title.ts";

/** A session store that lives as long as the process. */
export function createMemorySessionStore(): SessionStore {
  const logs = new Map<string, SessionEntry[]>();
  const written = new Set<string>();

  const writerOf = (sessionId: string, log: SessionEntry[]): SessionWriter => {
    if (written.has(sessionId)) throw inUse(sessionId);
    written.add(sessionId);
    let isOpen = true;
    return {
      sessionId,
      append: async (entries) => {
        if (!isOpen) throw new PlimsollError("bad-session", `session ${sessionId} is closed`, { sessionId });
        log.push(...entries);
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
  const create = async (start: SessionStartEntry): Promise<SessionWriter> => {
    if (logs.has(start.id))
      throw new PlimsollError("bad-session", `session ${start.id} exists already`, { sessionId: start.id });
    const log: SessionEntry[] = [start];
    logs.set(start.id, log);
    return writerOf(start.id, log);
  };

  return {
    create,
    open: async (sessionId) => {
      const log = found(sessionId);
      return { writer: writerOf(sessionId, log), entries: [...log], cutOff: null };
    },
    read: async (sessionId) => {
      const log = logs.get(sessionId);
      return log === undefined ? null : { entries: [...log], cutOff: null };
    },
    list: async () => [...logs].map(([sessionId, log]) => summaryOf(sessionId, log)).reverse(),
    branch: async (source) => {
      const entries = branchEntries(found(source.sessionId), source);
      if (logs.has(source.newSessionId)) {
        const sessionId = source.newSessionId;
        throw new PlimsollError("bad-session", `session ${sessionId} exists already`, { sessionId });
      }
      const log = [...entries];
      logs.set(source.newSessionId, log);
      return { writer: writerOf(source.newSessionId, log), entries, cutOff: null };
    },
  };
}

function inUse(sessionId: string): PlimsollError {
  return new PlimsollError("bad-session", `session ${sessionId} is in use by another writer`, { sessionId });
}

function summaryOf(sessionId: string, log: readonly SessionEntry[]): SessionSummary {
  const [start] = log;
  const isStart = start?.type === "session";
  return {
    sessionId,
    createdMs: isStart ? start.createdMs : null,
    updatedMs: null,
    parentId: isStart ? (start.parent?.sessionId ?? null) : null,
    bytes: utf8Bytes(encodeLog(log)),
    title: sessionTitle(log),
  };
}
