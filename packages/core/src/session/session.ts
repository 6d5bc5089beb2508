import type { FitInput, FitOutcome, PreparedSummary } from "../engine/fit-input.ts";
import type { RevertEntry, SessionEntry, SessionStartEntry, UsageEntry } from "../entry.ts";
import { closedError } from "../error.ts";
import { type Context, isHuman, type Message, type MessageDraft, overheadHash, withId } from "../message/message.ts";
import type { RequestUnit } from "../message/size.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import { clockDoor, deadlineOf, untilAborted } from "../port-door.ts";
import type { EntryListener, SessionStore, SessionWriter } from "../ports.ts";
import type { Prediction } from "../tokens/estimator.ts";
import { impossibleCount, isRejectedUsage, UNREPORTED_USAGE, type Usage } from "../usage.ts";
import { createBackground, prepareSummary, type SessionInput } from "./background.ts";
import { checkStorable } from "./codec.ts";
import { fitSession, mostMedia, switchSessionModel } from "./fit-session.ts";
import { createHeldLog, type HeldLog, type LogArchive, type SessionOptions } from "./held-log.ts";
import type { LimitEvent, Refusals } from "./learned-limit.ts";
import { createQueue } from "./queue.ts";
import { type Recalled, type RecallRange, recall } from "./recall.ts";
import type { SessionState, UsageTotals } from "./session-state.ts";
import { sessionsDoor, writerDoor } from "./store-door.ts";
import { isUndoArchived, type ModelSwitch, revertEntry, type SessionView } from "./view.ts";

/** A provider's report of one request. */
export interface ReportedUsage {
  readonly requestId: string;
  readonly modelId: string;
  readonly usage: Usage;
  /** When it was answered, if that was not now. */
  readonly atMs?: number;
}

/**
 * A session that stays inside its model's window: the log goes in, the context to send comes out. It has one log and its copy in the store, one queue of
 * work, one clock, and the summaries that are prepared. The agent, every drop-in and the replay hold one. When a promise resolves, what it did is in the store.
 */
export interface Session {
  /**
   * Appends an entry; it is written with the next flush.
   *
   * @throws PlimsollError `bad-input` for a message id that the log has already, and for impossible token counts; `session-limit` for an entry that the
   * store would refuse.
   */
  append(entry: SessionEntry): void;
  /** Appends a message under the id that follows from the ones before it, and writes it. */
  say(draft: MessageDraft): Promise<Message>;
  /** Logs the reported usage of a request that sent `sent`. Impossible counts are logged as not reported. `null`, and no log entry, if the context has changed since. */
  report(sent: SessionView, reported: ReportedUsage): Promise<UsageEntry | null>;
  /** Writes what was appended and is not written yet. After a write that failed the next one brings what is missing: the log never has a gap. */
  flush(): Promise<void>;
  /** Compacts if the policy asks for it at this gate; logs the compaction that it made. What is appended meanwhile stays after it. */
  fit(input: SessionInput, signal: AbortSignal): Promise<FitOutcome>;
  /**
   * Writes the summary that a compaction would ask for now, and appends nothing; `null` if there is none. To use it in a later `fit`, return it
   * from the option `prepared`. Rejects only when the signal aborts.
   */
  prepare(input: SessionInput, signal: AbortSignal): Promise<PreparedSummary | null>;
  /**
   * Undoes the newest active compaction, and logs that: the context from before is back, with what came since.
   *
   * @throws PlimsollError `bad-input` if there is none, or if undoing it would make the session unsendable.
   */
  undo(): Promise<RevertEntry>;
  /** Undoes the newest compaction and compacts again, with another policy or focus. */
  redo(input: SessionInput & { readonly policy?: EnginePolicy }, signal: AbortSignal): Promise<FitOutcome>;
  /**
   * Appends a switch of the model; written with the next flush. If the new window is smaller than the log's, first compacts for it, with the summariser that
   * is in use until then.
   */
  switchModel(to: ModelSwitch, input: SessionInput, signal: AbortSignal): Promise<FitOutcome>;
  /**
   * Removes all bound reasoning from the context, after a model refused it because messages before it changed, and logs that; false if there is no reasoning. If
   * none is known to be bound, removes all reasoning.
   */
  leaveReasoning(): Promise<boolean>;
  /** Counts a refusal without a known reason: of a request, or of the `same` one with less of its media. The log does not have the count. */
  refused(request: "new" | "same"): Refusals;
  /** Compacts as if the session had waited for a person long enough, for replays. `null` if the policy does nothing then. */
  idled(signal: AbortSignal): Promise<FitOutcome | null>;
  /** Resolves when no summary is being prepared. */
  prepared(): Promise<void>;
  /** Returns the context to send now. */
  context(dynamicContext?: string | null): Context;
  /** Predicts the size of the next request, without pending messages. */
  predict(dynamicContext?: string | null): Prediction;
  /** Reads a piece of the original text that a handle names, at most {@link MAXIMUM_RECALL_CHARS} code units; `null` for an unknown handle. */
  recall(handle: string, range: RecallRange): Promise<Recalled | null>;
  /** The unit of media of which the context holds more than any request that was answered, if some can be taken out; `null` for none. */
  mostMedia(): RequestUnit | null;
  /** Returns all that the log tells about the session up to now. */
  state(): SessionState;
  view(): SessionView;
  /** Returns the entries of the log; of one that a store was asked to open, only those that it does not have yet. */
  entries(): readonly SessionEntry[];
  /** Ids of the messages that were appended, in order. */
  messageIds(): readonly string[];
  hasCall(callId: string): boolean;
  totals(): UsageTotals;
  /** Returns the log's facts about models' windows. */
  limitEvents(): readonly LimitEvent[];
  /** Characters of all messages that were appended, with the bytes of their images. */
  sizeChars(): number;
  /** Runs work when all work that was given before has ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Counts the work that was given to `inTurn` and has not ended. */
  pendingCount(): number;
  /** Releases the log for other writers, after the work that is under way. What is asked for later rejects or throws `closed`. */
  close(): Promise<void>;
}

/**
 * Makes a session with an empty log, or with the entries given, that stays in memory. If a crash left its messages unsendable, it appends repairs, unless
 * `repairs` is "none"; the first flush writes them.
 *
 * @throws PlimsollError `bad-policy` if the policy counts by an encoding whose tokenizer was not given.
 */
export function createSession(options: SessionOptions): Session {
  const { entries = [], writer = null } = options;
  const log = createHeldLog(options, null);
  for (const entry of entries) log.take(entry);
  return sessionOver(log, options, writer === null ? null : writerDoor(writer, deadlineOf(options)));
}

/** A session that was taken up from a store, and what a crash left of the last line of its log. */
interface TakenUp {
  readonly session: Session;
  readonly cutOff: { readonly line: number; readonly bytes: number } | null;
}

/**
 * A session whose log a store keeps: a new one, or one to go on with. The log is read entry by entry. Only what the context needs stays
 * in memory; what compactions covered is read back if a handle or an undo asks for it.
 *
 * @throws PlimsollError as {@link SessionStore} does.
 */
export async function openSession(
  options: Omit<SessionOptions, "entries" | "writer">,
  store: SessionStore,
  start: SessionStartEntry | { readonly sessionId: string },
): Promise<TakenUp> {
  const sessions = sessionsDoor(store, deadlineOf(options));
  const openedWith = async (mayBeUndone: ReadonlySet<string>): Promise<TakenUp> => {
    const { archive, isAt } = archiveIn(sessions);
    const log = createHeldLog(options, archive);
    const { writer, cutOff } = await writerOf(start, sessions, (entry) =>
      log.take(entry, entry.type === "compaction" && mayBeUndone.has(entry.id)),
    );
    isAt(writer);
    try {
      return { session: sessionOver(log, options, writer), cutOff };
    } catch (error) {
      await writer.close();
      throw error;
    }
  };
  return await openedWith(new Set()).catch(async (error: unknown) => {
    if (!isUndoArchived(error) || "type" in start) throw error;
    const undone = new Set<string>();
    await sessions.read(start.sessionId, (entry) => {
      if (entry.type === "revert") undone.add(entry.compactionId);
    });
    return await openedWith(undone);
  });
}

async function writerOf(
  start: SessionStartEntry | { readonly sessionId: string },
  sessions: SessionStore,
  take: EntryListener,
): Promise<Pick<TakenUp, "cutOff"> & { readonly writer: SessionWriter }> {
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

const NOTHING_TO_WRITE = Promise.resolve();
const NO_REFUSALS: Refusals = { times: 0, mediaTries: 0 };

/** A session whose log was taken; with repairs of what a crash left, unless they are not wanted. */
function sessionOver(log: HeldLog, options: SessionOptions, writer: SessionWriter | null): Session {
  const { policy, repairs, onEvent } = options;
  if (repairs !== "none") log.repair();
  const { state, predict, tally } = log;
  const nowMs = options.nowMs === undefined ? () => null : clockDoor(options.nowMs);
  const [queue, writes] = [createQueue(), createQueue()];
  const hashOf = createOverheadHash();
  const now = { life: "open", refusals: NO_REFUSALS, isRefusalTold: false, windowTokens: Number.POSITIVE_INFINITY };
  const assertOpen = () => {
    if (now.life === "closed") throw closedError("session");
  };
  const writeFresh = async () => {
    const fresh = log.unwritten();
    if (fresh.length === 0) return;
    await writer?.append(fresh);
    log.written(fresh.length);
  };
  const flush = () => (writer === null ? NOTHING_TO_WRITE : writes.run(writeFresh));
  const prepares = options.prepared === undefined && (policy.prepare ?? policy.idle) !== undefined;
  const background = prepares ? createBackground({ ...options, log, nowMs, flush }) : null;
  const prepared = options.prepared ?? background?.prepared ?? null;
  const append = (entry: SessionEntry) => {
    assertOpen();
    if (writer !== null) checkStorable(entry);
    void background?.wake();
    log.append(entry);
    if (isAnswer(entry)) now.refusals = NO_REFUSALS;
    else if (entry.type === "message" && isHuman(entry.message)) now.refusals = { ...now.refusals, mediaTries: 0 };
    background?.appended();
  };
  const awake = async () => {
    assertOpen();
    await background?.wake();
  };
  // At every gate: a field behind a spread takes five times as long.
  const timed = (input: SessionInput): FitInput => Object.assign({ nowMs: nowMs() }, input);
  const fit = async (input: SessionInput, signal: AbortSignal, by = policy) => {
    now.windowTokens = input.model.contextWindowTokens ?? Number.POSITIVE_INFINITY;
    const given = { policy: by, input: timed(input), measuredBy: state().ledger, prepared };
    const outcome = await fitSession(log, given, signal);
    background?.fitted(input, outcome);
    // A fit that changed nothing has nothing to wait for, whatever was aborted.
    if (writer !== null && log.unwritten().length > 0) await untilAborted(signal, flush);
    return outcome;
  };
  const revert = async (atMs: number | null) => {
    await log.prepareUndo();
    return log.append(revertEntry(state().view, atMs));
  };
  /** Keeps a report, or makes it say nothing if its counts are impossible: a provider's wrong count ends no session. Of a reply that no window holds what was paid stays. */
  const possible = ({ requestId, modelId, usage }: ReportedUsage): Usage => {
    const count = impossibleCount(usage);
    const value = count?.value ?? usage.output.totalTokens ?? 0;
    if (count === null && value <= now.windowTokens) return usage;
    const { expectedTokens, basis: estimator } = predict(null);
    const refused = { modelId, requestId, reportedTokens: value, expectedTokens, estimator };
    if (!now.isRefusalTold) onEvent?.({ type: "usage-refused", ...refused });
    now.isRefusalTold = true;
    return count === null ? { ...usage, output: UNREPORTED_USAGE.output } : UNREPORTED_USAGE;
  };
  return {
    append,
    flush,
    say: async (draft) => {
      const message = withId(draft, state().lastMessageId);
      append({ type: "message", message });
      await flush();
      return message;
    },
    report: async (sent, reported) => {
      assertOpen();
      if (sent.viewHash !== state().view.viewHash) return null;
      const entry: UsageEntry = {
        type: "usage",
        ...reported,
        usage: possible(reported),
        throughMessageId: sent.messages.at(-1)?.id ?? null,
        overheadHash: hashOf(sent),
        viewHash: sent.viewHash,
        atMs: reported.atMs ?? nowMs(),
      };
      append(entry);
      await flush();
      return entry;
    },
    fit: async (input, signal) => {
      await awake();
      return await fit(input, signal);
    },
    prepare: (input, signal) => prepareSummary(log, timed(input), signal),
    undo: async () => {
      await awake();
      const entry = await revert(nowMs());
      await flush();
      return entry;
    },
    redo: async ({ policy: by, ...input }, signal) => {
      await awake();
      await revert(timed(input).nowMs);
      return await fit({ now: { reason: "manual", keep: null }, ...input }, signal, by);
    },
    switchModel: async (to, input, signal) => {
      await awake();
      return await switchSessionModel(log, { to, input: timed(input), prepared }, signal);
    },
    leaveReasoning: async () => {
      await awake();
      const entry = log.withoutReasoning(nowMs());
      if (entry !== null) log.append(entry);
      await flush();
      return entry !== null;
    },
    refused: (request) => {
      const { times, mediaTries } = now.refusals;
      now.refusals = request === "new" ? { times: times + 1, mediaTries } : { times, mediaTries: mediaTries + 1 };
      return now.refusals;
    },
    idled: async (signal) => {
      assertOpen();
      return (await background?.idled(signal)) ?? null;
    },
    prepared: async () => await background?.settled(),
    context: (dynamicContext = null) => {
      const { system, tools, messages } = state().view;
      return { system, tools, messages: messages.slice(), dynamicContext };
    },
    predict: (dynamicContext = null) => predict(dynamicContext),
    mostMedia: () => mostMedia(log),
    recall: (handle, range) => recall(handle, range, log.messages),
    state,
    view: () => state().view,
    entries: () => log.entries,
    messageIds: () => tally().messageIds,
    hasCall: (callId) => tally().callIds.has(callId),
    totals: () => tally().totals,
    limitEvents: () => tally().limitEvents,
    sizeChars: () => tally().sizeChars,
    inTurn: (work) => (now.life === "open" ? queue.run(work) : Promise.reject(closedError("session"))),
    pendingCount: queue.pendingCount,
    close: async () => {
      if (now.life === "open") now.life = "closing";
      await background?.close();
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
