import { deadlineOf } from "../deadline.ts";
import type { FitOutcome } from "../engine/fit-input.ts";
import type { SessionEntry, UsageEntry } from "../entry.ts";
import { closedError } from "../error.ts";
import { type MessageDraft, overheadHash, withId } from "../message/ids.ts";
import type { Message } from "../message/message.ts";
import { clockDoor } from "../port-door.ts";
import type { SessionWriter } from "../ports.ts";
import { checkStorable } from "../session/codec.ts";
import { type ContextManager, createContextManager } from "../session/context-manager.ts";
import type { ContextManagerOptions } from "../session/session-setup.ts";
import { writerDoor } from "../session/store-door.ts";
import type { SessionView } from "../session/view.ts";
import { impossibleCount, isRejectedUsage, UNREPORTED_USAGE, type Usage } from "../usage.ts";
import { type Background, type ConversationFit, createBackground } from "./background.ts";
import type { LimitEvent } from "./limit-events.ts";
import { createQueue, untilAborted } from "./queue.ts";
import { createTally, type Tally, type UsageTotals } from "./tally.ts";

/** Options of a conversation in addition to its log. */
export interface ConversationSetting extends Omit<ContextManagerOptions, "entries" | "archive" | "prepared"> {
  /** Returns milliseconds since 1970; `null` if the time is not known. */
  readonly nowMs: () => number | null;
}

/** Options of a conversation, with its log. */
export interface ConversationOptions extends ConversationSetting {
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
export interface Conversation {
  readonly manager: ContextManager;
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
  /** Removes all bound reasoning from the context, and logs that; false if there is none. */
  leaveReasoning(): Promise<boolean>;
  /** Logs the reported usage of a request that sent `sent`. Impossible counts are logged as not reported. `null`, and no log entry, if the context has changed since. */
  report(sent: SessionView, reported: ReportedUsage): Promise<UsageEntry | null>;
  /** Writes what the manager appended by itself. Called after each of its operations. */
  flush(): Promise<void>;
  /** Ids of the messages that were appended, in order. */
  messageIds(): readonly string[];
  /** True for an id that a call of this conversation has. */
  hasCall(callId: string): boolean;
  totals(): UsageTotals;
  /** Returns the log's facts about models' windows: sizes that were refused, and sizes that were answered. */
  limitEvents(): readonly LimitEvent[];
  /** Counts a refusal without a known reason; returns how many came in a row, without an answer in between. The log does not have the count. */
  refused(): number;
  /** Characters of all messages that were appended: about the memory that the log takes if it is kept there. */
  sizeChars(): number;
  /**
   * Stops a compaction that was begun because the session waited for a person; resolves when it has ended. Every fit calls it first; call it
   * before you change the manager in another way.
   */
  wake(): Promise<void>;
  /** Compacts as if the session had waited for a person long enough, for replays. `null` if the policy does nothing then. */
  idled(signal: AbortSignal): Promise<FitOutcome | null>;
  /** Resolves when no summary is being prepared. */
  prepared(): Promise<void>;
  /** Releases the log for other writers, after the work that is under way. What is asked for later rejects or throws `closed`. */
  close(): Promise<void>;
}

/** Makes a conversation that keeps its log in memory. If a crash left the log unsendable, it is repaired; the first flush writes the repairs. */
export function createConversation({ entries, writer, nowMs, ...context }: ConversationOptions): Conversation {
  const tally = createTally();
  for (const entry of entries) tally.add(entry);
  const background = createBackground(context);
  const manager = createContextManager({ prepared: background.prepared, entries, ...context });
  const kept = {
    writer: writer === null ? null : writerDoor(writer, deadlineOf(context)),
    isArchived: false,
    heldCount: entries.length,
  };
  return conversationOver({
    manager,
    tally,
    background,
    nowMs,
    ...kept,
    ...(context.onEvent === undefined ? {} : { onEvent: context.onEvent }),
  });
}

/** The parts of a conversation. */
export interface ConversationParts extends LogCopyParts, Pick<ContextManagerOptions, "onEvent"> {
  readonly background: Background;
  readonly nowMs: () => number | null;
}

/** A conversation over a manager whose log `writer` has. */
export function conversationOver({ nowMs: clock, background, onEvent, ...parts }: ConversationParts): Conversation {
  const nowMs = clockDoor(clock);
  const { manager, writer } = parts;
  const queue = createQueue();
  const { tally, flush, isBehind } = createLogCopy(parts);
  const hashOf = createOverheadHash();
  background.attend({ manager, nowMs, flush });
  let state: "open" | "closing" | "closed" = "open";
  const assertOpen = () => {
    if (state === "closed") throw closedError("conversation");
  };
  const add = (entry: SessionEntry) => {
    assertOpen();
    if (writer !== null) checkStorable(entry);
    void background.wake();
    manager.append(entry);
    if (isAnswer(entry)) refusedTimes = 0;
    background.appended();
  };
  let isRefusalTold = false;
  let refusedTimes = 0;
  /** Keeps a report, or makes it say nothing if its counts are impossible: a provider's wrong count ends no session. */
  const possible = ({ requestId, modelId, usage }: ReportedUsage): Usage => {
    const count = impossibleCount(usage);
    if (count === null) return usage;
    const { expectedTokens, basis: estimator } = manager.predict();
    const refused = { modelId, requestId, reportedTokens: count.value, expectedTokens, estimator };
    if (!isRefusalTold) onEvent?.({ type: "usage-refused", ...refused });
    isRefusalTold = true;
    return UNREPORTED_USAGE;
  };
  const append = async (entry: SessionEntry) => {
    add(entry);
    await flush();
  };
  return {
    manager,
    inTurn: (work) => (state === "open" ? queue.run(work) : Promise.reject(closedError("conversation"))),
    pendingCount: queue.pendingCount,
    add,
    append,
    flush,
    say: async (draft) => {
      const message = withId(draft, manager.state().lastMessageId);
      await append({ type: "message", message });
      return message;
    },
    fit: async (input, signal) => {
      assertOpen();
      await background.wake();
      // At every gate: a field behind a spread takes five times as long.
      const outcome = await manager.fit(Object.assign({}, input, { nowMs: nowMs() }), signal);
      background.fitted(input, outcome);
      // A fit that changed nothing has nothing to wait for, whatever was aborted.
      if (isBehind()) await untilAborted(signal, flush);
      return outcome;
    },
    leaveReasoning: async () => {
      assertOpen();
      await background.wake();
      const entry = manager.leaveReasoning(nowMs());
      await flush();
      return entry !== null;
    },
    report: async (sent, reported) => {
      assertOpen();
      if (sent.viewHash !== manager.view().viewHash) return null;
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
    messageIds: () => tally().messageIds(),
    hasCall: (callId) => tally().hasCall(callId),
    totals: () => tally().totals(),
    limitEvents: () => tally().limitEvents(),
    refused: () => {
      refusedTimes += 1;
      return refusedTimes;
    },
    sizeChars: () => tally().sizeChars(),
    wake: background.wake,
    idled: async (signal) => {
      assertOpen();
      return await background.idled(signal);
    },
    prepared: background.settled,
    close: async () => {
      state = state === "open" ? "closing" : state;
      await background.close();
      await queue.run(async () => {
        state = "closed";
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

/** The parts that a log's copy in the store is made from. */
interface LogCopyParts {
  readonly manager: ContextManager;
  /** The counts over the log so far. */
  readonly tally: Tally;
  readonly writer: SessionWriter | null;
  /** True if the manager drops what the writer has. */
  readonly isArchived: boolean;
  /** How many of the manager's entries were tallied and written already. */
  readonly heldCount: number;
}

/** The copy of a log in the store, and the tally of the log. */
interface LogCopy {
  /** The tally of all that the manager has appended. */
  tally(): Tally;
  /** Writes what the manager has appended. After a write that failed the next one brings what is missing: the log never has a gap. */
  flush(): Promise<void>;
  /** True if the manager has entries that the store does not have. */
  isBehind(): boolean;
}

/** A copy that has the manager's first entries, as many as `heldCount` says. */
function createLogCopy({ manager, tally, writer, isArchived, heldCount }: LogCopyParts): LogCopy {
  let tallied = heldCount;
  const see = () => {
    for (const entry of manager.entries().slice(tallied)) tally.add(entry);
    tallied = manager.entries().length;
  };
  const seen = () => {
    see();
    return tally;
  };
  // Without a store the log is tallied when somebody asks.
  if (writer === null) return { tally: seen, flush: () => NOTHING_TO_WRITE, isBehind: () => false };

  const writes = createQueue();
  let written = heldCount;
  const writeFresh = async () => {
    const fresh = manager.entries().slice(written);
    if (fresh.length === 0) return;
    await writer.append(fresh);
    if (!isArchived) {
      written += fresh.length;
      return;
    }
    see();
    manager.archived(fresh.length);
    tallied -= fresh.length;
  };
  return {
    tally: seen,
    flush: () => {
      see();
      return writes.run(writeFresh);
    },
    isBehind: () => manager.entries().length > written,
  };
}

const NOTHING_TO_WRITE = Promise.resolve();
