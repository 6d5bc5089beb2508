import { deadlineOf } from "../deadline.ts";
import type { FitOutcome } from "../engine/fit-input.ts";
import type { RevertEntry, SessionEntry, SessionStartEntry, UsageEntry } from "../entry.ts";
import { closedError } from "../error.ts";
import { type MessageDraft, overheadHash, withId } from "../message/ids.ts";
import { isHuman, type Message } from "../message/message.ts";
import { clockDoor } from "../port-door.ts";
import type { EntryListener, SessionStore, SessionWriter } from "../ports.ts";
import { checkStorable } from "../session/codec.ts";
import { type ContextManager, managerOf } from "../session/context-manager.ts";
import { createHeldSession } from "../session/held-session.ts";
import type { ContextManagerOptions, LogArchive } from "../session/session-setup.ts";
import type { ModelSwitch } from "../session/setup-change.ts";
import { sessionsDoor, writerDoor } from "../session/store-door.ts";
import { isUndoArchived, type SessionView } from "../session/view.ts";
import { impossibleCount, isRejectedUsage, UNREPORTED_USAGE, type Usage } from "../usage.ts";
import { type Background, type ConversationFit, createBackground } from "./background.ts";
import type { Refusals } from "./learned-limit.ts";
import { createQueue, untilAborted } from "./queue.ts";
import { createTally, type Tally } from "./tally.ts";

/** Options of a conversation in addition to its log. */
export interface ConversationSetting extends Omit<ContextManagerOptions, "entries" | "archive" | "prepared"> {
  /** Returns milliseconds since 1970; `null` if the time is not known. */
  readonly nowMs: () => number | null;
}

/** Options of a conversation, with its log. */
interface ConversationOptions extends ConversationSetting {
  /** The log so far; the first entry names the session. */
  readonly entries: readonly SessionEntry[];
  /** Where the log is kept, holding `entries` already; `null` for a conversation that lives in memory alone. */
  readonly writer: SessionWriter | null;
}

/** A provider's report of one request. */
export interface ReportedUsage {
  readonly requestId: string;
  readonly modelId: string;
  readonly usage: Usage;
  /** When it was answered, if that was not now. */
  readonly atMs?: number;
}

/**
 * One conversation: a log and its copy in the store, one queue of work, one clock, one set of pins, state providers and hooks. The agent,
 * every drop-in and the replay use it. When a promise resolves, what it did is in the store.
 */
export interface Conversation
  extends Pick<ContextManager, "context" | "predict" | "recall" | "state" | "view" | "entries" | "mostMedia">,
    Omit<Tally, "add"> {
  /** Runs work when all work that was given before has ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Counts the work that was given to `inTurn` and has not ended. */
  pendingCount(): number;
  /** Appends a message under the id that follows from the ones before it. */
  say(draft: MessageDraft): Promise<Message>;
  /**
   * Appends an entry; it is written with the next flush.
   *
   * @throws PlimsollError `session-limit` for an entry that the store would refuse.
   */
  add(entry: SessionEntry): void;
  /** Appends an entry and writes it. */
  append(entry: SessionEntry): Promise<void>;
  fit(input: ConversationFit, signal: AbortSignal): Promise<FitOutcome>;
  /** Undoes the newest compaction, and logs that; see `revert` of a context manager. */
  undo(): Promise<RevertEntry>;
  /** Appends a switch of the model after what it takes to fit it; written with the next flush. See `switchModel` of a context manager. */
  switchModel(to: ModelSwitch, input: ConversationFit, signal: AbortSignal): Promise<FitOutcome>;
  /** Removes all bound reasoning from the context, and logs that; false if there is none. */
  leaveReasoning(): Promise<boolean>;
  /** Logs the reported usage of a request that sent `sent`. Impossible counts are logged as not reported. `null`, and no log entry, if the context has changed since. */
  report(sent: SessionView, reported: ReportedUsage): Promise<UsageEntry | null>;
  /** Writes what was appended and is not written yet. After a write that failed the next one brings what is missing: the log never has a gap. */
  flush(): Promise<void>;
  /** Counts a refusal without a known reason: of a request, or of the `same` one with less of its media. The log does not have the count. */
  refused(request: "new" | "same"): Refusals;
  /** Compacts as if the session had waited for a person long enough, for replays. `null` if the policy does nothing then. */
  idled(signal: AbortSignal): Promise<FitOutcome | null>;
  /** Resolves when no summary is being prepared. */
  prepared(): Promise<void>;
  /** Releases the log for other writers, after the work that is under way. What is asked for later rejects or throws `closed`. */
  close(): Promise<void>;
}

/** Makes a conversation that keeps its log in memory. If a crash left the log unsendable, it is repaired; the first flush writes the repairs. */
export function createConversation({ entries, writer, ...setting }: ConversationOptions): Conversation {
  const { take, opened } = begin(setting, null);
  for (const entry of entries) take(entry);
  return opened(writer === null ? null : writerDoor(writer, deadlineOf(setting)));
}

/** A conversation that was taken up from a store, and what a crash left of the last line of its log. */
interface OpenedConversation {
  readonly conversation: Conversation;
  readonly cutOff: { readonly line: number; readonly bytes: number } | null;
}

/**
 * A conversation whose log a store keeps: a new one, or one to go on with. The log is read entry by entry. Only what the context needs stays
 * in memory; what compactions covered is read back if a handle or an undo asks for it.
 *
 * @throws PlimsollError as {@link SessionStore} does.
 */
export async function openConversation(
  setting: ConversationSetting,
  store: SessionStore,
  session: SessionStartEntry | { readonly sessionId: string },
): Promise<OpenedConversation> {
  const sessions = sessionsDoor(store, deadlineOf(setting));
  const openedWith = async (mayBeUndone: ReadonlySet<string>): Promise<OpenedConversation> => {
    const { archive, isAt } = archiveIn(sessions);
    const { take, opened } = begin(setting, archive);
    const { writer, cutOff } = await writerOf(session, sessions, (entry) =>
      take(entry, entry.type === "compaction" && mayBeUndone.has(entry.id)),
    );
    isAt(writer);
    try {
      return { conversation: opened(writer), cutOff };
    } catch (error) {
      await writer.close();
      throw error;
    }
  };
  return await openedWith(new Set()).catch(async (error: unknown) => {
    if (!isUndoArchived(error) || "type" in session) throw error;
    const undone = new Set<string>();
    await sessions.read(session.sessionId, (entry) => {
      if (entry.type === "revert") undone.add(entry.compactionId);
    });
    return await openedWith(undone);
  });
}

async function writerOf(
  session: SessionStartEntry | { readonly sessionId: string },
  sessions: SessionStore,
  take: EntryListener,
): Promise<Pick<OpenedConversation, "cutOff"> & { readonly writer: SessionWriter }> {
  if (!("type" in session)) {
    const opened = await sessions.open(session.sessionId, take);
    // A store that hands nothing over answers with all of them.
    for (const entry of opened.entries) take(entry);
    return opened;
  }
  const writer = await sessions.create(session);
  take(session);
  return { writer, cutOff: null };
}

/** The archive of a log whose writer is known once it is open. */
function archiveIn(sessions: SessionStore): { readonly archive: LogArchive; readonly isAt: (writer: SessionWriter) => void } {
  let at: SessionWriter | null = null;
  const writer = () => {
    if (at === null) throw new Error("the log is not open yet");
    return at;
  };
  return {
    archive: {
      entryAt: async (index) => await writer().entryAt(index),
      read: async (onEntry) => void (await sessions.read(writer().sessionId, onEntry)),
    },
    isAt: (opened) => {
      at = opened;
    },
  };
}

/** A conversation whose log is being read: with an archive it drops what the archive has. */
function begin(setting: ConversationSetting, archive: LogArchive | null) {
  const tally = createTally();
  let background: Background | null = null;
  const held = createHeldSession({
    ...setting,
    prepared: async (signal) => (await background?.prepared(signal)) ?? null,
    ...(archive === null ? {} : { archive }),
  });
  return {
    take: (entry: SessionEntry, mayBeUndone = false) => {
      held.take(entry, mayBeUndone);
      tally.add(entry);
    },
    opened: (writer: SessionWriter | null): Conversation => {
      const readCount = held.entries.length;
      const parts = { manager: managerOf(held, setting), tally, readCount, writer, isArchived: archive !== null };
      return conversationOver(setting, parts, (attended) => {
        background = createBackground(attended);
        return background;
      });
    },
  };
}

/** The parts of a conversation. */
interface ConversationParts {
  readonly manager: ContextManager;
  /** The counts over the log that was read, of which the manager holds `readCount` entries. */
  readonly tally: Tally;
  readonly readCount: number;
  readonly writer: SessionWriter | null;
  /** True if the manager drops what the writer has. */
  readonly isArchived: boolean;
}

const NOTHING_TO_WRITE = Promise.resolve();
const NO_REFUSALS: Refusals = { times: 0, mediaTries: 0 };

function conversationOver(
  setting: ConversationSetting,
  { manager, tally, readCount, writer, isArchived }: ConversationParts,
  attend: typeof createBackground,
): Conversation {
  const { onEvent } = setting;
  const nowMs = clockDoor(setting.nowMs);
  const { context, predict, recall, state, view, entries, mostMedia } = manager;
  const [queue, writes] = [createQueue(), createQueue()];
  const hashOf = createOverheadHash();
  const now = {
    life: "open",
    tallied: readCount,
    written: readCount,
    refusals: NO_REFUSALS,
    isRefusalTold: false,
    windowTokens: Number.POSITIVE_INFINITY,
  };
  const assertOpen = () => {
    if (now.life === "closed") throw closedError("conversation");
  };
  /** The tally of all that was appended. Without a store the log is tallied when somebody asks. */
  const seen = (): Tally => {
    for (const entry of entries().slice(now.tallied)) tally.add(entry);
    now.tallied = entries().length;
    return tally;
  };
  const writeFresh = async () => {
    const fresh = entries().slice(now.written);
    if (fresh.length === 0) return;
    await writer?.append(fresh);
    if (isArchived) {
      seen();
      manager.archived(fresh.length);
      now.tallied -= fresh.length;
    } else now.written += fresh.length;
  };
  const flush = () => {
    if (writer === null) return NOTHING_TO_WRITE;
    seen();
    return writes.run(writeFresh);
  };
  const background = attend({ ...setting, manager, nowMs, flush });
  const add = (entry: SessionEntry) => {
    assertOpen();
    if (writer !== null) checkStorable(entry);
    void background.wake();
    manager.append(entry);
    if (isAnswer(entry)) now.refusals = NO_REFUSALS;
    else if (entry.type === "message" && isHuman(entry.message)) now.refusals = { ...now.refusals, mediaTries: 0 };
    background.appended();
  };
  const append = async (entry: SessionEntry) => {
    add(entry);
    await flush();
  };
  const awake = async () => {
    assertOpen();
    await background.wake();
  };
  /** Keeps a report, or makes it say nothing if its counts are impossible: a provider's wrong count ends no session. Of a reply that no window holds what was paid stays. */
  const possible = ({ requestId, modelId, usage }: ReportedUsage): Usage => {
    const count = impossibleCount(usage);
    const value = count?.value ?? usage.output.totalTokens ?? 0;
    if (count === null && value <= now.windowTokens) return usage;
    const { expectedTokens, basis: estimator } = predict();
    const refused = { modelId, requestId, reportedTokens: value, expectedTokens, estimator };
    if (!now.isRefusalTold) onEvent?.({ type: "usage-refused", ...refused });
    now.isRefusalTold = true;
    return count === null ? { ...usage, output: UNREPORTED_USAGE.output } : UNREPORTED_USAGE;
  };
  return {
    context,
    predict,
    recall,
    state,
    view,
    entries,
    mostMedia,
    messageIds: () => seen().messageIds(),
    hasCall: (callId) => seen().hasCall(callId),
    totals: () => seen().totals(),
    limitEvents: () => seen().limitEvents(),
    sizeChars: () => seen().sizeChars(),
    inTurn: (work) => (now.life === "open" ? queue.run(work) : Promise.reject(closedError("conversation"))),
    pendingCount: queue.pendingCount,
    add,
    append,
    flush,
    say: async (draft) => {
      const message = withId(draft, state().lastMessageId);
      await append({ type: "message", message });
      return message;
    },
    fit: async (input, signal) => {
      await awake();
      now.windowTokens = input.model.contextWindowTokens ?? Number.POSITIVE_INFINITY;
      // At every gate: a field behind a spread takes five times as long.
      const outcome = await manager.fit(Object.assign({}, input, { nowMs: nowMs() }), signal);
      background.fitted(input, outcome);
      // A fit that changed nothing has nothing to wait for, whatever was aborted.
      if (writer !== null && entries().length > now.written) await untilAborted(signal, flush);
      return outcome;
    },
    undo: async () => {
      await awake();
      await manager.prepareUndo();
      const entry = manager.revert(nowMs());
      await flush();
      return entry;
    },
    switchModel: async (to, input, signal) => {
      await awake();
      return await manager.switchModel(to, { ...input, nowMs: nowMs() }, signal);
    },
    leaveReasoning: async () => {
      await awake();
      const entry = manager.leaveReasoning(nowMs());
      await flush();
      return entry !== null;
    },
    report: async (sent, reported) => {
      assertOpen();
      if (sent.viewHash !== view().viewHash) return null;
      const entry: UsageEntry = {
        type: "usage",
        ...reported,
        usage: possible(reported),
        throughMessageId: sent.messages.at(-1)?.id ?? null,
        overheadHash: hashOf(sent),
        viewHash: sent.viewHash,
        atMs: reported.atMs ?? nowMs(),
      };
      await append(entry);
      return entry;
    },
    refused: (request) => {
      const { times, mediaTries } = now.refusals;
      now.refusals = request === "new" ? { times: times + 1, mediaTries } : { times, mediaTries: mediaTries + 1 };
      return now.refusals;
    },
    idled: async (signal) => {
      assertOpen();
      return await background.idled(signal);
    },
    prepared: background.settled,
    close: async () => {
      if (now.life === "open") now.life = "closing";
      await background.close();
      await queue.run(async () => {
        now.life = "closed";
        await writer?.close();
      });
    },
  };
}

/** True for what shows that the model answered. */
function isAnswer(entry: SessionEntry): boolean {
  if (entry.type === "usage") return !isRejectedUsage(entry.usage);
  return entry.type === "message" && entry.message.role === "assistant";
}

/** The hash of a view's overhead, made anew only if system text or tools are others than when it was asked before. */
function createOverheadHash(): (view: Pick<SessionView, "system" | "tools">) => string {
  let known: { readonly view: Pick<SessionView, "system" | "tools">; readonly hash: string } | null = null;
  return (view) => {
    if (known === null || known.view.system !== view.system || known.view.tools !== view.tools)
      known = { view: { system: view.system, tools: view.tools }, hash: overheadHash(view.system, view.tools) };
    return known.hash;
  };
}
