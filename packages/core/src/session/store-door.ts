import { z } from "zod";
import type { SessionEntry, SessionStartEntry } from "../entry.ts";
import { isPlimsollError, PlimsollError } from "../error.ts";
import { isRecord } from "../json.ts";
import { having } from "../option.ts";
import { answerOf, type Deadline, type Door, failedPort, inTime, passed } from "../port-door.ts";
import type { EntryListener, OpenedSession, SessionStore, SessionWriter } from "../ports.ts";
import { sessionEntrySchema } from "./entry-schema.ts";

const ENTRY: z.ZodType<SessionEntry> = z.custom<SessionEntry>((value) => sessionEntrySchema.safeParse(value).success);
const WRITER: z.ZodType<SessionWriter> = having("append", "entryAt", "close");
const CUT_OFF = z.object({ line: z.number(), bytes: z.number() }).nullable();
const STORED = z.object({ entries: z.array(ENTRY), cutOff: CUT_OFF });
const SUMMARY = z.object({
  sessionId: z.string().min(1),
  createdMs: z.number().nullable(),
  updatedMs: z.number().nullable(),
  parentId: z.string().nullable(),
  bytes: z.number().nonnegative(),
  title: z.string().nullable(),
});

const CREATED = { port: "sessions.create", shape: WRITER, wanted: "the log's writer" };
const OPENED = { shape: STORED.extend({ writer: WRITER }), wanted: "the log's entries, cutOff and writer" };
const READ = { port: "sessions.read", shape: STORED.nullable(), wanted: "the log's entries and cutOff, or null" };
const LISTED = { port: "sessions.list", shape: z.array(SUMMARY), wanted: "a list of logs" };
const HANDED = { port: "sessions", shape: ENTRY, wanted: "entries of a session's log, one by one" };
const READ_BACK = { port: "the log's entryAt", shape: ENTRY, wanted: "an entry" };
const ended = (port: string): Door<unknown> => ({ port, shape: z.unknown(), wanted: "anything" });
const [DELETED, APPENDED, CLOSED] = [ended("sessions.delete"), ended("the log's append"), ended("the log's close")];

/** The session store, whose answers have their required form and come in time. A log that is read may take its time as long as entries come. */
export function sessionsDoor(sessions: SessionStore, deadline: Deadline): SessionStore {
  const closeLate = (value: unknown) => {
    const writer = isRecord(value) && typeof value.close !== "function" ? value.writer : value;
    // It has no holder: its log would be in use for ever.
    if (isRecord(writer) && typeof writer.close === "function") Promise.resolve(writer.close()).catch(() => undefined);
  };
  const reading = <Answer>(
    door: Door<Answer>,
    onEntry: EntryListener | undefined,
    ask: (take: EntryListener | undefined) => unknown,
  ): Promise<Answer> => {
    let isMoving = false;
    const moved = () => {
      const was = isMoving;
      isMoving = false;
      return was;
    };
    const take = (entry: unknown) => {
      isMoving = true;
      return onEntry?.(passed(HANDED, entry));
    };
    const waited = { deadline, isMoving: moved, onLate: closeLate };
    return answerOf(door, () => ask(onEntry === undefined ? undefined : take), waited);
  };
  const opened = async (answer: Promise<OpenedSession>): Promise<OpenedSession> => {
    const session = await answer;
    return { ...session, writer: writerDoor(session.writer, deadline) };
  };
  return {
    create: async (start) =>
      writerDoor(await answerOf(CREATED, () => sessions.create(start), { deadline, onLate: closeLate }), deadline),
    open: (id, onEntry) => opened(reading({ ...OPENED, port: "sessions.open" }, onEntry, (take) => sessions.open(id, take))),
    read: (id, onEntry) => reading(READ, onEntry, (take) => sessions.read(id, take)),
    list: () => answerOf(LISTED, () => sessions.list(), { deadline }),
    branch: (from, onEntry) =>
      opened(reading({ ...OPENED, port: "sessions.branch" }, onEntry, (take) => sessions.branch(from, take))),
    delete: async (id) => void (await answerOf(DELETED, () => sessions.delete(id), { deadline })),
  };
}

/** The writer of a log, whose answers come in time. After an append without an answer the log's content is unknown until it is opened again. */
export function writerDoor(writer: SessionWriter, deadline: Deadline): SessionWriter {
  const { sessionId } = writer;
  let unanswered: PlimsollError | null = null;
  const late = (afterMs: number) => {
    const message = `session ${sessionId}: the store did not answer within ${afterMs} ms; open the session again`;
    unanswered = new PlimsollError("bad-session", message, { sessionId, afterMs });
    // Once the store answers, the log is free to be opened again.
    writer.close().catch(() => undefined);
    return unanswered;
  };
  return {
    sessionId,
    append: async (entries) => {
      if (unanswered !== null) throw unanswered;
      await inTime(async () => await writer.append(entries), { deadline, late }).catch((error: unknown) => {
        throw failedPort(APPENDED.port, error);
      });
    },
    entryAt: (index) => answerOf(READ_BACK, () => writer.entryAt(index), { deadline }),
    close: async () => void (await answerOf(CLOSED, () => writer.close(), { deadline })),
  };
}

/** The log of that id, or a new one with these entries. */
export async function openedOrCreated(
  sessions: SessionStore,
  entries: readonly [SessionStartEntry, ...SessionEntry[]],
): Promise<{ readonly entries: readonly SessionEntry[]; readonly writer: SessionWriter }> {
  const [start, ...rest] = entries;
  const writer = await sessions.create(start).catch(async (error: unknown) => {
    const isThere = isPlimsollError(error, "bad-session") && (await sessions.read(start.id, () => undefined)) !== null;
    if (isThere) return null;
    throw error;
  });
  if (writer === null) return await sessions.open(start.id);
  try {
    if (rest.length > 0) await writer.append(rest);
    return { entries, writer };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** The writer of a log in a store, created or opened, whose entries were handed over; and a crash's remains of its last line. */
export async function writerOf(
  start: SessionStartEntry | { readonly sessionId: string },
  sessions: SessionStore,
  take: EntryListener,
): Promise<Pick<OpenedSession, "writer" | "cutOff">> {
  if (!("type" in start)) {
    const opened = await sessions.open(start.sessionId, take);
    // A store that hands nothing over answers with all of them.
    for (const entry of opened.entries) take(entry);
    return opened;
  }
  const writer = await sessions.create(start);
  take(start);
  return { writer, cutOff: null };
}
