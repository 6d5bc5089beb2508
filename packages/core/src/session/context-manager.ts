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
  /** Appends what happened. Folds only what is new. Throws PlimsollError `bad-input` for a message id that the log has, and for counts that cannot be. */
  append(entry: SessionEntry): void;
  /** Compacts if the policy asks for it at this gate; appends the compaction that it made. What is appended meanwhile stays after it. */
  fit(input: FitInput, signal: AbortSignal): Promise<FitOutcome>;
  /** True if the context is expected to be at least this large for the input's model. */
  reaches(input: FitInput, atLeast: Amount): boolean;
  /**
   * Has the summary written that the policy would ask for now, and appends nothing; `null` if there is none. The port `prepared` gives it to a
   * later fit. Rejects only when the signal aborts.
   */
  prepare(input: FitInput, signal: AbortSignal): Promise<PreparedSummary | null>;
  /** Compacts for a smaller window with the policy's summariser as it is now, then appends the switch. A window that is no smaller than the log's needs nothing first. */
  switchModel(to: ModelSwitch, input: FitInput, signal: AbortSignal): Promise<FitOutcome>;
  /** Undoes the newest active compaction by appending a revert; the context from before is back, with what came since. */
  revert(nowMs: number | null): RevertEntry;
  /**
   * Takes all bound reasoning out of the context, for a model that says that it was made behind another beginning; `null` if there is none. If none is known to be
   * bound, all of it is.
   */
  leaveReasoning(nowMs: number | null): SetupChangeEntry | null;
  /** Undoes the newest compaction and compacts again, with another policy or focus. */
  redo(input: FitInput & { readonly policy?: EnginePolicy }, signal: AbortSignal): Promise<FitOutcome>;
  /** Returns the context to send now. */
  context(dynamicContext?: string | null): Context;
  /** Predicts the size of the next request, without pending messages. */
  predict(dynamicContext?: string | null): Prediction;
  /** A bounded piece of the original that a handle names, or `null`. */
  recall(handle: string, range: RecallRange): Promise<Recalled | null>;
  /** Everything that is known of the session: the fold of its log. */
  state(): SessionState;
  view(): SessionView;
  /** Returns all that is known about sizes; with the policy's estimator it prices any message. */
  ledger(): Ledger;
  /** The log; of a manager with an archive, what the archive does not have yet. */
  entries(): readonly SessionEntry[];
  /** Says that the archive has the first `count` of these entries now. */
  archived(count: number): void;
  /** Makes sure that the newest compaction can be undone, reading the view before it from the archive if it is there alone. */
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
 * A context manager over an empty log, or over the entries given. Its state is the fold of its log; around it are the log itself, what
 * handles are looked up in, and what subscribers are told.
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
