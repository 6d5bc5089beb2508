import type { Amount } from "../budget.ts";
import type { FitInput, FitOutcome, PreparedSummary } from "../engine/fit-input.ts";
import type { RevertEntry, SessionEntry, SetupChangeEntry } from "../entry.ts";
import type { Context } from "../message/message.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Prediction } from "../tokens/estimator.ts";
import type { Ledger } from "../tokens/ledger.ts";
import type { ContextManagerOptions } from "./context-manager-options.ts";
import { fitSession, type ModelSwitch, switchSessionModel } from "./fit-session.ts";
import { createHeldSession, type HeldSession } from "./held-session.ts";
import { prepareSummary, reachesAmount } from "./prepare-summary.ts";
import { type Recalled, type RecallRange, recall } from "./recall.ts";
import { repairsOf } from "./replace-history.ts";
import { sessionSetup } from "./session-setup.ts";
import type { SessionState } from "./session-state.ts";
import { revertEntry, undoArchived } from "./undo-point.ts";
import type { SessionView } from "./view.ts";

/** A session that stays inside its model's window: the log goes in, the context to send comes out. */
export interface ContextManager {
  /** Appends an entry to the log. Throws PlimsollError `bad-input` for a message id that the log has already, and for impossible token counts. */
  append(entry: SessionEntry): void;
  /** Compacts if the policy asks for it at this gate; appends the compaction that it made. What is appended meanwhile stays after it. */
  fit(input: FitInput, signal: AbortSignal): Promise<FitOutcome>;
  /** True if the context is expected to be at least this large for the input's model. */
  reaches(input: FitInput, atLeast: Amount): boolean;
  /**
   * Writes the summary that a compaction would ask for now, and appends nothing; `null` if there is none. To use it in a later `fit`, return it
   * from the option `prepared`. Rejects only when the signal aborts.
   */
  prepare(input: FitInput, signal: AbortSignal): Promise<PreparedSummary | null>;
  /** Appends a switch of the model. If the new window is smaller than the log's, first compacts for it, with the summariser that is in use until then. */
  switchModel(to: ModelSwitch, input: FitInput, signal: AbortSignal): Promise<FitOutcome>;
  /** Undoes the newest active compaction by appending a revert; the context from before is back, with what came since. */
  revert(nowMs: number | null): RevertEntry;
  /**
   * Removes all bound reasoning from the context, after a model refused it because messages before it changed; `null` if there is no reasoning. If none is known
   * to be bound, removes all reasoning.
   */
  leaveReasoning(nowMs: number | null): SetupChangeEntry | null;
  /** Undoes the newest compaction and compacts again, with another policy or focus. */
  redo(input: FitInput & { readonly policy?: EnginePolicy }, signal: AbortSignal): Promise<FitOutcome>;
  /** Returns the context to send now. */
  context(dynamicContext?: string | null): Context;
  /** Predicts the size of the next request, without pending messages. */
  predict(dynamicContext?: string | null): Prediction;
  /** Reads a piece of the original text that a handle names, at most {@link MAXIMUM_RECALL_CHARS} code units; `null` for an unknown handle. */
  recall(handle: string, range: RecallRange): Promise<Recalled | null>;
  /** Returns all that the log tells about the session up to now. */
  state(): SessionState;
  view(): SessionView;
  /** Returns the token counts, reported and estimated, from which the policy's estimator predicts sizes. */
  ledger(): Ledger;
  /** Returns the entries of the log; with an archive, only those that the archive does not have yet. */
  entries(): readonly SessionEntry[];
  /** Tells the manager that the archive now has the first `count` of `entries()`, which then drops them. */
  archived(count: number): void;
  /** Prepares an undo of the newest compaction: reads the context before it from the archive, if it is only there. Call it before `revert`. */
  prepareUndo(): Promise<void>;
}

/** A context manager that is being opened: the log comes entry by entry. */
export interface OpeningContextManager {
  /**
   * Takes the next entry of the log. With an archive, what a compaction covers is not kept, unless `mayBeUndone`.
   *
   * @throws PlimsollError `bad-session` for an entry that does not fit the log; see also {@link isUndoArchived}.
   */
  take(entry: SessionEntry, mayBeUndone?: boolean): void;
  /** Ends the log: repairs what a crash left, and announces it. */
  opened(): ContextManager;
}

/**
 * Makes a context manager with an empty log, or with the entries given, which it reads in order. If a crash left their messages
 * unsendable, it appends repairs, unless `repairs` is "none".
 *
 * @throws PlimsollError `bad-policy` if the policy counts by an encoding whose tokenizer was not given.
 */
export function createContextManager(options: ContextManagerOptions): ContextManager {
  const opening = openContextManager(options);
  for (const entry of options.entries ?? []) opening.take(entry);
  return opening.opened();
}

/** A context manager over a log that is handed over entry by entry; `options.entries` is not looked at. */
export function openContextManager(options: ContextManagerOptions): OpeningContextManager {
  const { archive = null, onEvent: emit = () => undefined, repairs } = options;
  const session = createHeldSession(sessionSetup(options), { archive, emit });
  return {
    take: (entry, mayBeUndone = false) => {
      if (entry.type === "revert" && session.state().view.undo === "archived") throw undoArchived(entry.compactionId);
      session.fold(entry);
      session.log.archived(1);
      if (entry.type === "compaction" && !mayBeUndone) session.release("none");
    },
    opened: () => {
      if (repairs !== "none") repair(session);
      return managerOf(session);
    },
  };
}

/** Appends what a crash left out, and reports it; nothing in a new session. */
function repair({ log, state, fold, withRemoved, tell }: HeldSession): void {
  const needed = log.count() === 0 ? [] : repairsOf(state().view);
  const entries = needed.map((entry) => {
    const mended = withRemoved(entry);
    fold(mended);
    return mended;
  });
  if (entries.length > 0) tell({ type: "session-repaired", entries });
}

/** A held session as its users see it. */
function managerOf(session: HeldSession): ContextManager {
  const { state, log, append, prepareUndo } = session;
  const ownPolicy = session.setup.policy;
  const fit = (input: FitInput, policy: EnginePolicy, signal: AbortSignal) =>
    fitSession(session, { policy, input, measuredBy: state().ledger }, signal);
  const revert = (nowMs: number | null): RevertEntry => {
    return append(revertEntry(state().view, nowMs));
  };
  return {
    append: (entry) => void append(entry),
    fit: (input, signal) => fit(input, ownPolicy, signal),
    reaches: (input, atLeast) => reachesAmount(session, input, atLeast),
    prepare: (input, signal) => prepareSummary(session, input, signal),
    switchModel: (to, input, signal) => switchSessionModel(session, { to, input }, signal),
    revert,
    leaveReasoning: (nowMs) => {
      const entry = session.withoutReasoning(nowMs);
      return entry === null ? null : append(entry);
    },
    redo: async ({ policy = ownPolicy, ...input }, signal) => {
      await prepareUndo();
      revert(input.nowMs);
      return await fit({ now: { reason: "manual", keep: null }, ...input }, policy, signal);
    },
    context: (dynamicContext = null) => {
      const { system, tools, messages } = state().view;
      return { system, tools, messages: messages.slice(), dynamicContext };
    },
    predict: (dynamicContext = null) => session.predict(dynamicContext),
    recall: (handle, range) => recall(handle, range, log.messages),
    archived: log.archived,
    prepareUndo,
    state,
    view: () => state().view,
    ledger: () => state().ledger,
    entries: () => log.entries,
  };
}
