import {
  type ContextEvent,
  createSession,
  type OpenedSession,
  PLIMSOLL_POLICY,
  PlimsollError,
  type Session,
  type SessionStore,
  type SessionWriter,
} from "@plimsoll/core";
import { createConversations, openSession, withIds } from "@plimsoll/core/extend";
import { human, reply, sessionStart } from "@plimsoll/core/testing";
import { type ContractCase, sameOrThrow } from "./contract.ts";

/** Something that keeps a session's log in a store, and can be closed. */
interface LogKeeper {
  /** Takes writes that the store may refuse: from the call of `fail` on, writes fail. Resolves even if writes were rejected meanwhile. */
  readonly hold: (fail: () => void) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
  /** Texts that were held. */
  readonly held: readonly string[];
}

/** How often a write fails once writes fail. */
const FAULTS = { never: 0, once: 1, always: Number.POSITIVE_INFINITY } as const;

/** A store whose writes fail so often from a moment on. */
function failingStore(store: SessionStore) {
  let left = 0;
  const failing = (writer: SessionWriter): SessionWriter => ({
    ...writer,
    append: async (entries) => {
      left -= 1;
      if (left >= 0) throw new PlimsollError("bad-session", "the disk is full");
      await writer.append(entries);
    },
  });
  const opened = ({ writer, ...session }: OpenedSession): OpenedSession => ({ ...session, writer: failing(writer) });
  const sessions: SessionStore = {
    ...store,
    create: async (start) => failing(await store.create(start)),
    open: async (id, onEntry) => opened(await store.open(id, onEntry)),
  };
  const fail = (times: number) => {
    left = times;
  };
  return { sessions, fail };
}

const ended = (close: LogKeeper["close"]): Promise<string> =>
  close().then(
    () => "resolved",
    () => "rejected",
  );

/**
 * The rules of closing: once `close` resolves, the store has all held entries; while it rejects, another call can write them. The subject's store has no logs yet.
 */
export function closeContract(
  name: string,
  open: (sessions: SessionStore) => Promise<LogKeeper>,
): readonly ContractCase<SessionStore>[] {
  return Object.entries(FAULTS).map(([fault, times]) => ({
    rule: `${name} is closed over a store that fails ${fault}: nothing held is lost`,
    run: async (make) => {
      const store = await make();
      const { sessions, fail } = failingStore(store);
      const keeper = await open(sessions);
      await keeper.hold(() => fail(times));
      const first = await ended(keeper.close);
      const second = await ended(keeper.close);
      fail(0);
      const expected = { never: "resolved resolved", once: `${first} resolved`, always: "rejected rejected" }[fault];
      sameOrThrow("close", `${first} ${second}`, expected);
      sameOrThrow("close at last", await ended(keeper.close), "resolved");
      const logs = await store.list();
      const stored = await Promise.all(logs.map(async ({ sessionId }) => (await store.read(sessionId))?.entries));
      const json = JSON.stringify(stored);
      sameOrThrow(
        "lost",
        keeper.held.filter((text) => !json.includes(text)),
        [],
      );
      for (const { sessionId } of logs) await (await store.open(sessionId)).writer.close();
    },
  }));
}

const OPTIONS = { policy: PLIMSOLL_POLICY, summarizer: () => Promise.reject(new Error("not asked")) };
const LIMITS = { contextWindowTokens: 20_000, maxOutputTokens: 1_000 };
const NOW = { gate: "before-step", pending: [], model: LIMITS, now: { reason: "manual", keep: { messages: 1 } } } as const;
const START = { ...sessionStart("system"), id: "one" };
const HISTORY = withIds(
  Array.from({ length: 6 }, (_, index) => [human("", `question ${index} ${"word ".repeat(400)}`), reply("", `answer ${index}`)])
    .flat()
    .map(({ id: _, ...draft }) => draft),
  null,
);

/** Appends, a compaction that was aborted before it was written, and a switch of the model. */
async function holdIn(session: Session, aborted: AbortController): Promise<void> {
  for (const message of HISTORY) session.append({ type: "message", message });
  await session.fit(NOW, aborted.signal).catch(() => undefined);
  await session.switchModel({ modelId: "another/model", limits: LIMITS }, NOW, new AbortController().signal);
}
const IN_SESSION = ["question 5", "answer 5", '"type":"compaction"', "another/model"];

/** An abort between a compaction and its write. */
function abortedInTime() {
  const aborted = new AbortController();
  const onEvent = ({ type }: ContextEvent) => {
    if (type === "compaction-end") aborted.abort();
  };
  return { aborted, onEvent };
}

async function session(sessions: SessionStore): Promise<LogKeeper> {
  const { aborted, onEvent } = abortedInTime();
  const opened = await openSession({ ...OPTIONS, onEvent }, sessions, START);
  const hold: LogKeeper["hold"] = async (fail) => {
    fail();
    await holdIn(opened.session, aborted);
  };
  return { hold, close: opened.session.close, held: IN_SESSION };
}

async function conversations(sessions: SessionStore): Promise<LogKeeper> {
  const { aborted, onEvent } = abortedInTime();
  const found = createConversations({
    begin: (_, log) => createSession({ ...OPTIONS, ...log, repairs: "none", onEvent }),
    sessions,
    needsKey: null,
    nowMs: () => null,
    maximumCount: 2,
    maximumChars: 1_000_000,
  });
  const said = { key: "key", system: "", tools: [], messages: HISTORY };
  const work = async ({ session }: { readonly session: Session }) => {
    await holdIn(session, aborted);
    await session.flush();
  };
  const hold: LogKeeper["hold"] = async (fail) => {
    await found.goOn({ ...said, messages: [] }, async () => fail());
    await found.goOn(said, work).catch(() => undefined);
  };
  return { hold, close: found.close, held: IN_SESSION };
}

/** The rules of closing for sessions and conversations over a store. */
export const CLOSE_CONTRACT: readonly ContractCase<SessionStore>[] = [
  ...closeContract("a session", session),
  ...closeContract("a set of conversations", conversations),
];
