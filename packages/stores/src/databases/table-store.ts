import { hostname } from "node:os";
import {
  type ArtifactStore,
  type EntryListener,
  encodeLog,
  PlimsollError,
  type SessionBranch,
  type SessionEntry,
  type SessionStore,
  type SessionWriter,
} from "@plimsoll/core";
import { artifactHandle, createQueue, decodeEntry, entryIdOf, option } from "@plimsoll/core/extend";
import type { z } from "zod";
import { branchEntry, inUse, noSuchEntry, noSuchSession, sessionTitle, usableId } from "../session-log.ts";
import { asked, bytesOf, type Lease, type LogTable, type NewLines, type NewLog, ONCE } from "./log-table.ts";

/**
 * How long a log is its writer's after the last append, if nothing else is said: longer than a model's answer usually takes, and short enough
 * to go on soon after a crash. Chosen. A writer that was silent for longer may be overtaken, and finds it out at its next append.
 */
const LEASE_MS = 60_000;

/** For how long an artifact that no log names is kept: it is stored before the entry that names it. Chosen. */
const ARTIFACT_GRACE_MS = 3_600_000;

/** How a store in a database behaves. */
export interface DatabaseStoreOptions {
  /** How long others keep away from a log after its last append, in milliseconds; a minute by default. */
  readonly leaseMs?: number;
}

/** Schema of {@link DatabaseStoreOptions}. */
export const DATABASE_OPTIONS: z.ZodType<DatabaseStoreOptions> = option.schema<DatabaseStoreOptions>({
  leaseMs: option.count.optional(),
});

/**
 * Session logs and artifacts in one database, for any number of processes at once. A log has one writer; an overtaken writer (its lease had run out)
 * is refused at its next append with `session-conflict`, and nothing is lost.
 */
export interface DatabaseStore {
  readonly sessions: SessionStore;
  readonly artifacts: ArtifactStore;
  /** Makes missing tables. Call it once, before anything else. */
  setUp(): Promise<void>;
  /**
   * Removes a conversation: its log, those of its sub-agents, and the artifacts that no other log names. A missing conversation is fine.
   *
   * @throws PlimsollError `session-conflict` while a writer has one of the logs.
   */
  deleteConversation(sessionId: string): Promise<void>;
  /** Removes logs without a write for so many milliseconds, except those that a writer has, and artifacts that nothing names. Resolves to the ids. */
  prune(unwrittenForMs: number): Promise<readonly string[]>;
}

/** A store on the tables of a database. */
export function createTableStore(table: LogTable, { leaseMs = LEASE_MS }: DatabaseStoreOptions = {}): DatabaseStore {
  /** Leases that a database may still hold because it did not answer: they are given back before the session is asked for again. */
  const owed = new Map<string, readonly (() => Promise<unknown>)[]>();
  const giveBack = async (sessionId: string, work: () => Promise<unknown>, pausesMs?: readonly number[]) => {
    try {
      await asked(sessionId, work, pausesMs);
    } catch (error) {
      owed.set(sessionId, [...(owed.get(sessionId) ?? []), work]);
      throw error;
    }
  };
  const settled = async (sessionId: string): Promise<string> => {
    const works = owed.get(usableId(sessionId)) ?? [];
    owed.delete(sessionId);
    await Promise.all(works.map((work) => giveBack(sessionId, work)));
    return sessionId;
  };
  /** Runs work that takes a log; a failure gives back the rest. */
  const taking = async <T>(sessionId: string, undo: () => Promise<unknown>, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      await giveBack(sessionId, undo, ONCE).catch(() => undefined);
      throw error;
    }
  };
  const writerOf = (sessionId: string, { holder }: Lease, count: number): SessionWriter => {
    const release = () => giveBack(sessionId, () => table.release(sessionId, holder));
    return createTableWriter({ table, sessionId, holder, leaseMs, count, release });
  };
  const newLease = (): Lease => ({ holder: holderName(), leaseMs });
  const held = async (sessionId: string) => inUse(sessionId, await holderText(table, sessionId));
  const created = (log: NewLog, first: NewLines): Promise<SessionWriter> => {
    const { sessionId, holder, count } = log;
    const undo = () => table.remove(sessionId, { artifactGraceMs: ARTIFACT_GRACE_MS, holder });
    return taking(sessionId, undo, async () => {
      const outcome = await asked(sessionId, () => table.create(log, first));
      if (outcome === "held") throw await held(sessionId);
      assertCreated(log, outcome);
      return writerOf(sessionId, log, count);
    });
  };
  // Not repeated: another writer may have begun a log of that id meanwhile.
  const removed = (sessionId: string) =>
    asked(sessionId, () => table.remove(sessionId, { artifactGraceMs: ARTIFACT_GRACE_MS, holder: null }), ONCE);
  const sessions: SessionStore = {
    create: async (start) => {
      const sessionId = await settled(start.id);
      const { createdMs, parent } = start;
      const log = { sessionId, createdMs, parentId: parent?.sessionId ?? null, count: 1, copyOf: null, ...newLease() };
      return await created(log, newLines([start]));
    },
    open: async (id, onEntry) => {
      const lease = newLease();
      const sessionId = await settled(id);
      return await taking(
        sessionId,
        () => table.release(sessionId, lease.holder),
        async () => {
          const outcome = await asked(sessionId, () => table.take(sessionId, lease));
          if (outcome === "absent") throw noSuchSession(sessionId);
          if (outcome === "held") throw await held(sessionId);
          const read = await readLog(table, sessionId, onEntry);
          if (read === null) throw noSuchSession(sessionId);
          return { writer: writerOf(sessionId, lease, read.count), entries: read.entries, cutOff: null };
        },
      );
    },
    read: async (sessionId, onEntry) => {
      const read = await readLog(table, usableId(sessionId), onEntry);
      return read === null ? null : { entries: read.entries, cutOff: null };
    },
    list: () => asked("the list of sessions", () => table.summaries()),
    branch: async (source, onEntry) => {
      const sessionId = await settled(source.newSessionId);
      const branch = await readBranch(table, source, onEntry);
      if (branch === null) throw noSuchSession(source.sessionId);
      const { count, parentId, entries } = branch;
      const log = { sessionId, createdMs: source.nowMs, parentId, count, copyOf: source.sessionId, ...newLease() };
      return { writer: await created(log, branch.first), entries, cutOff: null };
    },
    delete: async (sessionId) => {
      if ((await removed(await settled(sessionId))) === "held") throw await held(sessionId);
    },
  };
  return {
    sessions,
    artifacts: {
      put: async (text) => {
        const handle = artifactHandle(text);
        // JSON escapes characters that a database's text cannot hold: NUL and lone surrogates.
        await asked(handle, () => table.putArtifact(handle, JSON.stringify(text)));
        return handle;
      },
      get: async (handle) => {
        const json = HANDLE.test(handle) ? await asked(handle, () => table.artifact(handle)) : null;
        const text: unknown = json === null ? null : JSON.parse(json);
        return typeof text === "string" ? text : null;
      },
    },
    setUp: () => asked("its set-up", () => table.setUp()),
    deleteConversation: async (sessionId) => {
      const family = new Set([usableId(sessionId)]);
      // Iterating a set includes members added on the way.
      for (const member of family) for (const child of await asked(member, () => table.childrenOf(member))) family.add(child);
      // The conversation itself goes last: as long as it is there, the rest of a failed attempt can be found.
      for (const member of [...family].reverse()) await sessions.delete(member);
    },
    prune: async (unwrittenForMs) => {
      if (!Number.isFinite(unwrittenForMs) || unwrittenForMs < 0)
        throw new PlimsollError("bad-input", `prune takes 0 milliseconds or more, not ${unwrittenForMs}`, { unwrittenForMs });
      const pruned: string[] = [];
      for (const sessionId of await asked("the list of sessions", () => table.unwrittenFor(unwrittenForMs)))
        if ((await removed(sessionId)) === "removed") pruned.push(sessionId);
      await asked("the artifacts", () => table.removeOrphans(Math.max(unwrittenForMs, ARTIFACT_GRACE_MS)));
      return pruned;
    },
  };
}

const HANDLE = /^artifact:[0-9a-f]{64}$/;

/** A name that no other writer has, and that tells a person whose it is: a host's name may hold anything, an id at the end no slash. */
function holderName(): string {
  return `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}/${crypto.randomUUID()}`;
}

async function holderText(table: LogTable, sessionId: string): Promise<string> {
  const holder = await asked(sessionId, () => table.holderOf(sessionId));
  const end = holder?.lastIndexOf("/") ?? -1;
  return holder === null || end < 0 ? "another writer" : holder.slice(0, end);
}

function assertCreated({ sessionId, copyOf }: NewLog, outcome: Exclude<Awaited<ReturnType<LogTable["create"]>>, "held">): void {
  if (outcome === "exists") throw new PlimsollError("bad-session", `session ${sessionId} exists already`, { sessionId });
  if (outcome === "absent") throw noSuchSession(copyOf ?? sessionId);
}

/** A log that was begun or taken, and how many entries it has. */
interface HeldLog {
  readonly table: LogTable;
  readonly sessionId: string;
  readonly holder: string;
  readonly leaseMs: number;
  readonly count: number;
  /** Gives the log free. */
  readonly release: () => Promise<void>;
}

/** The writer of a log in a table. Appends run one after the other. */
function createTableWriter({ table, sessionId, holder, leaseMs, release, count: heldCount }: HeldLog): SessionWriter {
  const queue = createQueue();
  let count = heldCount;
  let [appendNumber, answeredNumber] = [0, 0];
  let isOpen = true;
  let isReleased = false;
  const assertOpen = () => {
    if (!isOpen) throw new PlimsollError("bad-session", `session ${sessionId} is closed`, { sessionId });
  };
  const append = async (added: NewLines) => {
    const to = { sessionId, expectedCount: count, holder, leaseMs, appendNumber: appendNumber + 1, answeredNumber };
    appendNumber += 1;
    const outcome = await asked(sessionId, () => table.append(to, added));
    answeredNumber = appendNumber;
    if (outcome !== "appended")
      throw overtaken({ sessionId, by: await holderText(table, sessionId), expected: count, found: outcome.foundCount });
    count += added.lines.length;
  };
  return {
    sessionId,
    append: async (entries) => {
      const added = newLines(entries);
      await queue.run(async () => {
        assertOpen();
        if (entries.length > 0) await append(added);
      });
    },
    entryAt: async (entryIndex) => {
      assertOpen();
      const isEntry = Number.isInteger(entryIndex) && entryIndex >= 0 && entryIndex < count;
      const [line] = isEntry ? await asked(sessionId, () => table.lines(sessionId, entryIndex, 1)) : [];
      if (line !== undefined) return decodeEntry(line, { file: sessionId, line: entryIndex + 1 });
      throw new PlimsollError("bad-input", `session ${sessionId} has no entry at ${entryIndex}`, { sessionId, entryIndex });
    },
    close: () =>
      queue.run(async () => {
        if (isReleased) return;
        isOpen = false;
        // Nothing, in the place of lines that a rejected append may have left.
        if (appendNumber > answeredNumber) await append(newLines([])).catch(() => undefined);
        await release();
        isReleased = true;
      }),
  };
}

interface Overtaken {
  readonly sessionId: string;
  readonly by: string;
  readonly expected: number;
  readonly found: number | null;
}

function overtaken({ sessionId, by, expected, found }: Overtaken): PlimsollError {
  if (found === null)
    return new PlimsollError("bad-session", `session ${sessionId} was removed while it was in use`, { sessionId });
  const message = `session ${sessionId} was taken over by ${by} (${found} entries instead of ${expected}); open it again to continue from there`;
  return new PlimsollError("session-conflict", message, { sessionId, holder: by, expected, found });
}

/** How many entries are asked for at once; chosen. */
const CHUNK_COUNT = 200;

const NAMED_HANDLE = /artifact:[0-9a-f]{64}/g;

/**
 * Entries as a table takes them.
 *
 * @throws PlimsollError `session-limit` for an entry that could not be read again.
 */
function newLines(entries: readonly SessionEntry[]): NewLines {
  const lines = entries.map((entry) => encodeLog([entry]).trimEnd());
  const handles = new Set(lines.flatMap((line) => line.match(NAMED_HANDLE) ?? []));
  return { lines, bytes: bytesOf(lines), title: storableText(sessionTitle(entries)), handles: [...handles] };
}

/** Text that every database takes: without NUL, which PostgreSQL refuses, and lone surrogates, which UTF-8 has not. */
function storableText(text: string | null): string | null {
  return text === null ? null : Buffer.from(text.replaceAll("\0", ""), "utf8").toString("utf8");
}

/** A log as it was read: how many entries it has, and which no listener took. */
interface LogContent {
  readonly count: number;
  readonly entries: readonly SessionEntry[];
}

/**
 * Reads a log from its first entry to its last; `null` if there is none of that id.
 *
 * @throws PlimsollError `bad-session` for damage, and for a log that was removed while it was read; the listener's errors.
 */
async function readLog(table: LogTable, sessionId: string, onEntry?: EntryListener): Promise<LogContent | null> {
  const count = await asked(sessionId, () => table.count(sessionId));
  if (count === null) return null;
  const entries: SessionEntry[] = [];
  const take = onEntry ?? ((entry: SessionEntry) => entries.push(entry));
  for await (const { lines, start } of chunksOf(table, sessionId, count))
    for (const [index, line] of lines.entries()) take(decodeEntry(line, { file: sessionId, line: start + index + 1 }));
  return { count, entries };
}

/** Lines of a log that were asked for at once, and the index of the first. */
interface LogChunk {
  readonly lines: readonly string[];
  readonly start: number;
}

/** The first lines of a log, some at a time. */
async function* chunksOf(table: LogTable, sessionId: string, count: number): AsyncGenerator<LogChunk> {
  for (let from = 0; from < count; ) {
    const start = from;
    const lines = await asked(sessionId, () => table.lines(sessionId, start, Math.min(CHUNK_COUNT, count - start)));
    if (lines.length === 0)
      throw new PlimsollError("bad-session", `session ${sessionId} was removed while it was read`, { sessionId });
    yield { lines, start };
    from += lines.length;
  }
}

/** The beginning of a branch: the number of its entries, and those that no listener took. */
interface BranchContent extends LogContent {
  /** Its first entry, with the known facts of all of them. */
  readonly first: NewLines;
  readonly parentId: string | null;
}

/**
 * Reads a branch's beginning; `null` if there is no such log.
 *
 * @throws PlimsollError `bad-input` if the log has no entry of that id.
 */
async function readBranch(table: LogTable, source: SessionBranch, onEntry?: EntryListener): Promise<BranchContent | null> {
  const entries: SessionEntry[] = [];
  const take = onEntry ?? ((entry: SessionEntry) => entries.push(entry));
  const handles = new Set<string>();
  let [first, parentId, count, isWhole]: [NewLines, string | null, number, boolean] = [newLines([]), null, 0, false];
  const read = await readLog(table, source.sessionId, (original) => {
    if (isWhole) return;
    const entry = branchEntry(original, source);
    const added = newLines([entry]);
    for (const handle of added.handles) handles.add(handle);
    first = {
      lines: count === 0 ? added.lines : first.lines,
      bytes: first.bytes + added.bytes,
      title: first.title ?? added.title,
      handles: [],
    };
    if (entry.type === "session") parentId = entry.parent?.sessionId ?? null;
    count += 1;
    isWhole = entryIdOf(original) === source.throughEntryId;
    take(entry);
  });
  if (read === null) return null;
  if (!isWhole) throw noSuchEntry(source);
  return { first: { ...first, handles: [...handles] }, parentId, count, entries };
}
