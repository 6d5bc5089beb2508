import type { FitInput, Missed, UnknownRefusal } from "../engine/fit-input.ts";
import type { RevertEntry, SessionEntry, SessionStartEntry, UsageEntry } from "../entry.ts";
import { closedError, isPlimsollError, PlimsollError } from "../error.ts";
import { createMemory } from "../memory.ts";
import { createOverheadHash, isHuman, type MessageDraft, toolCallsOf, withId } from "../message/message.ts";
import { createRequestSizes, heldChars } from "../message/size.ts";
import * as option from "../option.ts";
import { checkPolicy } from "../policy/policy.ts";
import { clockDoor, createQueue, deadlineOf, untilAborted } from "../port-door.ts";
import type { EntryListener, OpenedSession, SessionStore, SessionWriter } from "../ports.ts";
import { impossibleCount, isRejectedUsage, refuseImpossible, UNREPORTED_USAGE, type Usage } from "../usage.ts";
import { createBackground, prepareSummary } from "./background.ts";
import { checkStorable, UNNAMED_REQUEST } from "./codec.ts";
import { contextCall } from "./context-call.ts";
import { unpinEntry } from "./context-wishes.ts";
import { createTeller, overflowError } from "./events.ts";
import { mostMedia } from "./fit-media.ts";
import { fitSession, missedIn, switchSessionModel } from "./fit-session.ts";
import { foldLimitEvents, type LimitEvent, passedFault, type Refusals } from "./learned-limit.ts";
import { createMemoryArtifactStore, createMessageIndex, doubledIdError, type MessageIndex, recall } from "./recall.ts";
import { createRedaction, type Redaction } from "./redaction.ts";
import { repairsOf } from "./replace-history.ts";
import type { FittedSession, ReportedUsage, Session, SessionInput, SessionOptions } from "./session.ts";
import { SESSION_INPUT, sessionSetup } from "./session.ts";
import type { FoldedState, SessionState, UsageTotals } from "./session-state.ts";
import { EMPTY_STATE, foldState, foldTotals, NO_USAGE } from "./session-state.ts";
import { sessionsDoor, writerDoor, writerOf } from "./store-door.ts";
import {
  type LeavingReasoning,
  revertEntry,
  undoPointOf,
  withoutReasoningEntry,
  withoutUndoPoints,
  withRemoved,
} from "./view.ts";

/**
 * Makes a session with an empty log or the given entries. The whole log stays in memory, and `writer` gets new entries. If a crash left its messages
 * unsendable, it appends repairs, unless `repairs` is "none"; the first flush writes them.
 *
 * @throws PlimsollError `bad-input` for options that are missing, unknown or of another kind; `bad-policy` if the policy has a removed part, or counts by an encoding
 * without a given tokenizer.
 */
export function createSession(options: SessionOptions): Session {
  const log = emptyLog(options, null);
  const { entries = [], writer = null } = options;
  for (const entry of entries) takeStored(log, log.redaction.entry(entry), "kept");
  return sessionOf(log, writer === null ? null : writerDoor(writer, deadlineOf(options)));
}

/** A session that was reopened from a store, and a crash's remains of the last line of its log. */
interface TakenUp extends Pick<OpenedSession, "cutOff"> {
  readonly session: Session;
  /** Reads the whole log from the store, with the entries of other processes; also after the session is closed. */
  stored(): Promise<readonly SessionEntry[]>;
}

/**
 * Opens a session whose log a store keeps: a new one, or one to continue. The log is read entry by entry. Messages of the context stay in memory, and those that an
 * undo of the newest compaction made here brings back; others are read back if a handle or an undo asks for them.
 *
 * @throws PlimsollError as {@link SessionStore} does.
 */
export async function openSession(
  options: Omit<SessionOptions, "entries" | "writer">,
  store: SessionStore,
  start: SessionStartEntry | { readonly sessionId: string },
): Promise<TakenUp> {
  const sessions = sessionsDoor(store, deadlineOf(options));
  const sessionId = "type" in start ? start.id : start.sessionId;
  const stored = async () => (await sessions.read(sessionId))?.entries ?? [];
  const openedWith = async (mayBeUndone: ReadonlySet<string>): Promise<TakenUp> => {
    const log = emptyLog(options, sessions);
    const own = "type" in start ? log.redaction.entry(start) : start;
    const { writer, cutOff } = await writerOf(own, sessions, (entry) => {
      const isKept = entry.type === "compaction" && mayBeUndone.has(entry.id);
      takeStored(log, log.redaction.entry(entry), isKept ? "kept" : "released");
    });
    try {
      return { session: sessionOf(log, writer), cutOff, stored };
    } catch (error) {
      await writer.close();
      throw error;
    }
  };
  return await openedWith(new Set()).catch(async (error: unknown) => {
    // The undo point of a compaction that is undone later was not kept: the log is opened again, and keeps it.
    if (!isPlimsollError(error, "bad-session") || error.details.why !== UNDO_ARCHIVED || "type" in start) throw error;
    const undone = new Set<string>();
    await sessions.read(sessionId, (entry) => void (entry.type === "revert" && undone.add(entry.compactionId)));
    return await openedWith(undone);
  });
}

/** One open log: its opening, the entries in memory, the facts about the whole, and the state that changes while it is open. */
interface OpenLog extends FittedSession {
  readonly options: SessionOptions;
  /** Of entries, too, that were written before anything was redacted. */
  readonly redaction: Redaction;
  /** The store that gives back entries that left memory; `null` for a log that stays there. */
  readonly archive: SessionStore | null;
  /** The entries in memory. With an archive they are those that it does not have yet. */
  readonly entries: SessionEntry[];
  readonly messages: MessageIndex;
  readonly messageIds: string[];
  readonly callIds: Set<string>;
  writer: SessionWriter | null;
  /** Entries that only the archive has, and those in memory that the store has, too. */
  archivedCount: number;
  writtenCount: number;
  state: SessionState;
  totals: UsageTotals;
  limitEvents: readonly LimitEvent[];
  sizeChars: number;
  life: "open" | "closing" | "closed";
  refusals: Refusals;
  /** The state before reasoning left for a try, and the count of entries, while that can be taken back; `null` for no try. */
  untried: { readonly state: SessionState; readonly count: number } | null;
  isRefusalTold: boolean;
  /** The model of the newest fit, and a limit that its provider named; `null` before the first. */
  fitted: Pick<FitInput, "model" | "observedLimitTokens"> | null;
  missed: Missed | null;
}

/** The reasoning that leaves otherwise. */
const LEAVES = { none: "bound", named: "all", overtaken: "newest" } as const;

/** The reasoning that leaves after unknown refusals of one request: reasoning before an answer is less likely to be the reason. */
const UNNAMED_LEAVES: readonly LeavingReasoning[] = ["newest", "sealed"];

const NO_REFUSALS: Refusals = { times: 0, mediaTries: 0, reasoningTries: 0 };

function emptyLog(given: SessionOptions, archive: SessionStore | null): OpenLog {
  // `sessionSetup` refuses options that are none.
  const redaction = createRedaction(given?.redact);
  const options = given?.redact === undefined ? given : redactedOptions(given, redaction);
  const setup = sessionSetup(options);
  const log: OpenLog = {
    options,
    redaction,
    setup,
    archive,
    entries: [],
    messages: createMessageIndex(async (index) => {
      if (index >= log.archivedCount) return log.entries[index - log.archivedCount];
      const entry = await log.writer?.entryAt(index);
      return entry === undefined ? undefined : log.redaction.entry(entry);
    }),
    messageIds: [],
    callIds: new Set(),
    memory: createMemory(setup),
    sizes: createRequestSizes(),
    append: (entry) => append(log, entry),
    tell: createTeller(options.onEvent, () => log.state.view),
    predict: (dynamicContext = null) => {
      const { system, tools } = log.state.view;
      return setup.estimator.predict(log.state.ledger, { system, tools, dynamicContext, hiddenTokens: setup.hiddenTokens });
    },
    writer: null,
    archivedCount: 0,
    writtenCount: 0,
    state: EMPTY_STATE,
    totals: NO_USAGE,
    limitEvents: [],
    sizeChars: 0,
    life: "open",
    refusals: NO_REFUSALS,
    untried: null,
    isRefusalTold: false,
    fitted: null,
    missed: null,
    unpaid: null,
  };
  return log;
}

function redactedOptions(given: SessionOptions, redaction: Redaction): SessionOptions {
  return {
    ...given,
    summarizer: redaction.summarizer(given.summarizer),
    // Read when it is asked for: each request may have its own, or none.
    get compact(): SessionOptions["compact"] {
      const { compact } = given;
      return (
        compact && ((asked, signal) => compact({ ...asked, context: redaction.context(asked.context, "request") }, signal))
      );
    },
  };
}

function fold(log: OpenLog, entry: SessionEntry): Omit<FoldedState, "state"> {
  const { entries, messages, sizes } = log;
  if (entry.type === "message") sizes.add(entry.message, log.state.view.messages);
  if (entry.type === "model-change") sizes.changeModel();
  const folded = foldState(log.state, entry, log.setup);
  log.state = folded.state;
  const index = log.archivedCount + entries.length;
  entries.push(entry);
  log.limitEvents = foldLimitEvents(log.limitEvents, entry);
  log.totals = foldTotals(log.totals, entry);
  messages.add(entry, index);
  const isAdded = entry.type === "message" && !isHuman(entry.message);
  // Behind a person's next message other words stay: they are counted when a gate asks.
  const { missed } = log;
  const isOver = entry.type === "message" && missed !== null && missed.wordTokens > missed.budgetTokens;
  if (!isAdded && entry.type !== "attempt") log.missed = isOver ? { ...missed, parts: [] } : null;
  log.unpaid = null;
  if (entry.type === "context-call") log.memory.pass(entry.tool);
  if (entry.type !== "message") return folded;
  const { message } = entry;
  const newest = log.state.view.messages.at(-1);
  if (newest !== undefined) log.memory.add(newest);
  log.messageIds.push(message.id);
  for (const call of toolCallsOf(message)) log.callIds.add(call.callId);
  log.sizeChars += heldChars(message);
  return folded;
}

/** Takes note that the store has the first `count` of the entries in memory now. With an archive they leave memory. */
function written(log: OpenLog, count: number): void {
  if (log.archive === null) log.writtenCount += count;
  else {
    log.entries.splice(0, count);
    log.archivedCount += count;
  }
}

/** Lets go of undo points that the archive can give back, once their messages are remembered; nothing without an archive. */
function release(log: OpenLog, keep: "newest" | "none"): void {
  if (log.archive === null) return;
  log.memory.now();
  log.state = { ...log.state, view: withoutUndoPoints(log.state.view, keep) };
}

const UNDO_ARCHIVED = "undo-archived";

/** Takes the next entry of a log that is opened. With an archive, a compaction's covered messages leave memory if it is `released`. */
function takeStored(log: OpenLog, entry: SessionEntry, covered: "kept" | "released"): void {
  if (entry.type === "revert" && log.state.view.undo === "archived") {
    const { compactionId } = entry;
    const details = { why: UNDO_ARCHIVED, compactionId };
    throw new PlimsollError("bad-session", `compaction ${compactionId} is undone later in the log`, details);
  }
  fold(log, entry);
  written(log, 1);
  if (entry.type === "compaction" && covered === "released") release(log, "none");
}

/** Takes a new entry, with the reasoning that it makes invalid, and reports its events. Gives it as it is in the log. */
function append<Entry extends SessionEntry>(log: OpenLog, given: Entry): Entry {
  if (given.type === "message" && log.messages.has(given.message.id)) throw doubledIdError(given.message.id);
  log.untried = null;
  // A caller's own entries are redacted before they are checked.
  const logged = given.type === "compaction" ? log.redaction.entry(given) : given;
  const entry = withRemoved(logged, log.state.view, log.setup.isBoundReasoning);
  const { missingTokens, isUsageRefused } = fold(log, entry);
  // Of all that compactions covered, only the newest undo point stays in memory.
  if (entry.type === "compaction") release(log, "newest");
  if (entry.type !== "usage") return entry;
  const reportedTokens = entry.usage.input.totalTokens ?? 0;
  if (missingTokens !== null) log.tell({ type: "silent-truncation", ...doubted(log, entry, reportedTokens), missingTokens });
  if (isUsageRefused) log.tell({ type: "usage-refused", ...doubted(log, entry, reportedTokens) });
  return entry;
}

/** The facts of a report that cannot be right, and the prediction without it. */
function doubted(log: OpenLog, { modelId, requestId }: Pick<UsageEntry, "modelId" | "requestId">, reportedTokens: number) {
  const { expectedTokens, basis: estimator } = log.predict(null);
  return { modelId, requestId, reportedTokens, expectedTokens, estimator };
}

/** Appends the repair of a crash, and reports it; nothing in a new session. */
function repair(log: OpenLog): void {
  const needed = repairsOf(log.state.view).map(log.append);
  if (needed.length > 0) log.tell({ type: "session-repaired", entries: needed });
}

/** Reads the whole log as it is now, however it grows meanwhile; more than once. */
function readerOf({ archive, entries, archivedCount, writer, redaction }: OpenLog): (onEntry: EntryListener) => Promise<void> {
  const tail = [...entries];
  return async (onEntry) => {
    let count = 0;
    await archive?.read(writer?.sessionId ?? "", (entry) => {
      // The archive may grow meanwhile: its additions are in the tail, too.
      if (count < archivedCount) onEntry(redaction.entry(entry));
      count += 1;
    });
    for (const entry of tail) onEntry(entry);
  };
}

/** Appends the undo of the newest compaction, and reports it if a refusal is why. If only the archive has its undo point, it is read first. */
async function revert(log: OpenLog, atMs: number | null, refusal?: UnknownRefusal): Promise<RevertEntry> {
  const { view } = log.state;
  if (view.undo === "archived") {
    const read = await undoPointOf(view.activeCompactions.at(-1)?.id ?? "", readerOf(log));
    log.state = { ...log.state, view: { ...log.state.view, ...read } };
  }
  const entry = log.append(revertEntry(log.state.view, atMs));
  if (refusal !== undefined) log.tell({ type: "compaction-undone", entry, refusal });
  return entry;
}

/** Keeps a report, or empties it if its counts are impossible: a provider's wrong count ends no session. If only the reply's count is larger than the window, the input counts are kept. */
function possible(log: OpenLog, reported: ReportedUsage): Usage {
  const { usage } = reported;
  const count = impossibleCount(usage);
  const reportedTokens = count?.value ?? usage.output.totalTokens ?? 0;
  if (count === null && reportedTokens <= (log.fitted?.model.contextWindowTokens ?? Number.POSITIVE_INFINITY)) return usage;
  if (!log.isRefusalTold) log.tell({ type: "usage-refused", ...doubted(log, reported, reportedTokens) });
  log.isRefusalTold = true;
  return count === null ? { ...usage, output: UNREPORTED_USAGE.output } : UNREPORTED_USAGE;
}

/** The session of a log that was taken; with repairs after a crash, unless they are not wanted. */
function sessionOf(log: OpenLog, writer: SessionWriter | null): Session {
  const { options, setup, entries } = log;
  log.writer = writer;
  if (options.repairs !== "none") repair(log);
  const nowMs = options.nowMs === undefined ? () => null : clockDoor(options.nowMs);
  const [queue, writes] = [createQueue(), createQueue()];
  const hashOf = createOverheadHash();
  const assertOpen = () => {
    if (log.life === "closed") throw closedError("session");
  };
  const writeFresh = async () => {
    log.untried = null;
    const fresh = entries.slice(log.writtenCount);
    if (fresh.length > 0) await writer?.append(fresh);
    written(log, fresh.length);
  };
  const flush = () => (writer === null ? Promise.resolve() : writes.run(writeFresh));
  const prepares = options.prepared === undefined && setup.policy.prepare !== undefined;
  const background = prepares ? createBackground(log, nowMs) : null;
  const prepared = options.prepared ?? background?.prepared ?? null;
  const { redaction } = log;
  const redacted = <Draft extends MessageDraft>(draft: Draft) => redaction.draft(draft, "log");
  const take = (given: SessionEntry) => {
    assertOpen();
    const entry = log.redaction.entry(given);
    if (writer !== null) checkStorable(entry);
    append(log, entry);
    const message = entry.type === "message" ? entry.message : null;
    const isMeasured = entry.type === "usage" && !isRejectedUsage(entry.usage);
    // The model answered.
    if (isMeasured || message?.role === "assistant") log.refusals = NO_REFUSALS;
    else if (message !== null && isHuman(message)) log.refusals = { ...log.refusals, mediaTries: 0 };
  };
  const checkInput = option.followingCheck("a fit", SESSION_INPUT);
  // At every gate: a field behind a spread takes five times as long.
  const timed = (input: SessionInput): FitInput => {
    checkInput(input);
    const { model } = input;
    const limits = typeof model === "string" ? option.limitsOf(model, options.limitsOf ?? (() => null)) : model;
    const own = { pending: input.pending.map(redacted), refusal: redaction.item(input.refusal) };
    return Object.assign({ nowMs: nowMs() }, input, own, { model: limits });
  };
  const fit = async (input: SessionInput, signal: AbortSignal, by = setup.policy) => {
    assertOpen();
    const { asked } = log.state.wishes;
    const given = timed(input);
    const isAsked = asked !== null && by.enabled && given.now === undefined && given.gate !== "on-overflow";
    const now = isAsked
      ? Object.assign(given, { now: { reason: "hand-off", keep: null } as const, focus: given.focus ?? asked.focus })
      : given;
    log.fitted = now;
    const refusal = now.gate === "on-overflow" ? null : passedFault(log.state.view, log.limitEvents);
    if (refusal !== null) await revert(log, now.nowMs, refusal);
    const made = await fitSession(log, { policy: by, input: now, measuredBy: log.state.ledger, prepared }, signal);
    const outcome = refusal === null ? made : { ...made, refusal };
    log.missed = outcome.kind === "irreducible" ? missedIn(log, now, outcome) : null;
    background?.fitted(now, outcome);
    // A fit that changed nothing has nothing to wait for, even after an abort.
    if (writer !== null && entries.length > log.writtenCount) await untilAborted(signal, flush);
    return outcome;
  };
  const ended = async (work: () => Promise<void>) => {
    if (log.life === "open") log.life = "closing";
    background?.close();
    await queue.run(work);
  };
  return {
    append: (entry) => {
      if (entry.type === "usage") refuseImpossible(entry.usage);
      take(entry);
    },
    flush,
    say: async (draft) => {
      const message = withId(redacted(draft), log.state.lastMessageId);
      take({ type: "message", message });
      await flush();
      return message;
    },
    report: async (sent, reported) => {
      assertOpen();
      if (sent.viewHash !== log.state.view.viewHash) return null;
      const entry: UsageEntry = {
        type: "usage",
        ...reported,
        requestId: reported.requestId || UNNAMED_REQUEST,
        usage: possible(log, reported),
        throughMessageId: sent.messages.at(-1)?.id ?? null,
        overheadHash: hashOf(sent),
        viewHash: sent.viewHash,
        atMs: reported.atMs ?? nowMs(),
      };
      take(entry);
      await flush();
      return entry;
    },
    fit: (input, signal) => fit(input, signal),
    prepare: async (input, signal) => await prepareSummary(log, timed(input), signal),
    undo: async (refusal) => {
      assertOpen();
      const unpin = unpinEntry(log.state.wishes, log.state.view, nowMs());
      const entry = unpin === null ? await revert(log, nowMs(), refusal) : log.append(unpin);
      await flush();
      return entry;
    },
    redo: async ({ policy: by, ...input }, signal) => {
      assertOpen();
      if (by !== undefined) checkPolicy(by, setup.kinds);
      await revert(log, timed(input).nowMs);
      return await fit({ now: { reason: "manual", keep: null }, ...input }, signal, by);
    },
    switchModel: async (to, input, signal) => {
      assertOpen();
      return await switchSessionModel(log, { to, input: timed(input), prepared }, signal);
    },
    leaveReasoning: async (refused) => {
      assertOpen();
      const { reasoningTries } = log.refusals;
      const which = refused === "unnamed" ? UNNAMED_LEAVES[reasoningTries] : LEAVES[refused ?? "none"];
      const leaving = { isBound: setup.isBoundReasoning, atMs: nowMs() };
      const entry = which === undefined ? null : withoutReasoningEntry(log.state.view, { ...leaving, which });
      if (refused !== "unnamed") {
        if (entry !== null) log.append(entry);
        await flush();
        return entry !== null;
      }
      log.refusals = { ...log.refusals, reasoningTries: reasoningTries + 1 };
      const untried = log.untried ?? { state: log.state, count: log.archivedCount + entries.length };
      if (entry === null) {
        // No try helped: all that left for them is taken in again.
        entries.length = untried.count - log.archivedCount;
        log.state = untried.state;
      } else log.append(entry);
      log.untried = entry === null ? null : untried;
      return entry !== null;
    },
    refused: (request) => {
      const { times, mediaTries } = log.refusals;
      const next = request === "new" ? { times: times + 1 } : { mediaTries: mediaTries + 1 };
      log.refusals = { ...log.refusals, ...next };
      return log.refusals;
    },
    redaction,
    prepared: async () => await background?.settled(),
    context: (dynamicContext = null) => {
      const { system, tools, messages } = log.state.view;
      return redaction.context({ system, tools, messages: messages.slice(), dynamicContext }, "request");
    },
    predict: log.predict,
    overflow: (cause) => {
      const { missed } = log;
      return missed === null || missed.wordTokens <= missed.budgetTokens ? null : overflowError(missed, cause);
    },
    mostMedia: () => mostMedia(log),
    recall: (handle, range) => recall(handle, range, log.messages),
    contextCall: async (call) => {
      assertOpen();
      const text = await contextCall(log, { artifacts: createMemoryArtifactStore(), ...call }, { atMs: nowMs(), append: take });
      await flush();
      return text;
    },
    state: () => log.state,
    view: () => log.state.view,
    entries: () => entries,
    messageIds: () => log.messageIds,
    hasCall: (callId) => log.callIds.has(callId),
    totals: () => log.totals,
    limitEvents: () => log.limitEvents,
    sizeChars: () => log.sizeChars,
    inTurn: (work) => (log.life === "open" ? queue.run(work) : Promise.reject(closedError("session"))),
    pendingCount: queue.pendingCount,
    close: (last = []) =>
      ended(async () => {
        const drafts = log.life === "closed" ? [] : last;
        if (drafts.length > 0) repair(log);
        try {
          for (const draft of drafts) take({ type: "message", message: withId(redacted(draft), log.state.lastMessageId) });
        } finally {
          log.life = "closed";
        }
        await flush().catch(async (error: unknown) => {
          // Another writer has the log: nothing of this one can ever be written.
          if (isPlimsollError(error, "session-conflict")) await writer?.close();
          throw error;
        });
        await writer?.close();
      }),
    abandon: () =>
      ended(async () => {
        log.life = "closed";
        await writer?.close();
      }),
  };
}
