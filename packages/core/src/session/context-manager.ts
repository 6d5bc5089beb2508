import { compact } from "../engine/compact.ts";
import { ANSWER_DEADLINE_MS } from "../engine/deadline.ts";
import type { FitInput, FitOutcome, FitState } from "../engine/fit-input.ts";
import { whyAct } from "../engine/why-act.ts";
import type { ModelLimits, RevertEntry, SessionEntry } from "../entry.ts";
import { withTrackedFiles } from "../facts/facts.ts";
import { shortHash } from "../hash.ts";
import type { Context } from "../message/message.ts";
import { BUILT_IN_KINDS } from "../policy/kinds.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { EstimatorSpec } from "../tokens/built-in-estimators.ts";
import { createEstimator } from "../tokens/built-in-estimators.ts";
import type { Overhead, Prediction } from "../tokens/estimator.ts";
import type { Ledger } from "../tokens/ledger.ts";
import { pooledPriors } from "../tokens/model-prior.ts";
import { createWorkCounter } from "../tokens/work.ts";
import { attemptEntry } from "./breaker.ts";
import type { ContextManagerOptions } from "./context-manager-options.ts";
import type { ContextListener } from "./events.ts";
import { announce, startEvent } from "./events.ts";
import { createHeldLog } from "./held-log.ts";
import { platformWait } from "./platform-wait.ts";
import { silentTruncation } from "./prompt-watch.ts";
import type { Recalled, RecallRange } from "./recall.ts";
import { recall } from "./recall.ts";
import { repairsOf } from "./repair-view.ts";
import type { SessionState } from "./session-state.ts";
import { EMPTY_STATE, foldedFor, foldState } from "./session-state.ts";
import { revertEntry, undoArchived, undoPointOf, withoutUndoPoints } from "./undo-point.ts";
import type { SessionView } from "./view.ts";

/** A session that stays inside its model's window: the log goes in, the context to send comes out. */
export interface ContextManager {
  /** Appends what happened. Folds only what is new. */
  append(entry: SessionEntry): void;
  /** Compacts if the policy asks for it at this gate; appends the compaction that it made. What is appended meanwhile stays after it. */
  fit(input: FitInput, signal: AbortSignal): Promise<FitOutcome>;
  /** Compacts for a smaller window with the policy's summariser as it is now, then appends the switch. A window that is no smaller than the log's needs nothing first. */
  switchModel(
    to: { readonly modelId: string; readonly limits: ModelLimits },
    input: FitInput,
    signal: AbortSignal,
  ): Promise<FitOutcome>;
  /** Undoes the newest active compaction by appending a revert; the context from before is back, with what came since. */
  revert(nowMs: number | null): RevertEntry;
  /** Undoes the newest compaction and compacts again, with another policy or focus. */
  redo(input: FitInput & { readonly policy?: EnginePolicy }, signal: AbortSignal): Promise<FitOutcome>;
  /** What to send now. */
  context(dynamicContext?: string | null): Context;
  /** What the next request is expected to measure, without what is pending. */
  predict(dynamicContext?: string | null): Prediction;
  /** A bounded piece of the original that a handle names, or `null`. */
  recall(handle: string, range: RecallRange): Promise<Recalled | null>;
  /** Everything that is known of the session: the fold of its log. */
  state(): SessionState;
  view(): SessionView;
  /** What is known about sizes; with the policy's estimator it prices any message. */
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
  const work = options.work ?? createWorkCounter();
  const {
    policy: ownPolicy,
    kinds = BUILT_IN_KINDS,
    modelPriors: priors = pooledPriors,
    tokenizers = {},
    hiddenOverheadTokens: hiddenTokens = 0,
  } = options;
  const estimatorOf = (spec: EstimatorSpec) => createEstimator(spec, work, { kinds: kinds.estimators, priors, tokenizers });
  const estimator = estimatorOf(ownPolicy.estimator);
  const cutEstimator = ownPolicy.cutEstimator === null ? estimator : estimatorOf(ownPolicy.cutEstimator);
  const emit: ContextListener = options.onEvent ?? (() => undefined);
  const log = createHeldLog(options.archive ?? null);
  let state = EMPTY_STATE;
  let hasSaidOff = false;

  const overhead = (dynamicContext: string | null): Overhead => {
    const { system, tools } = state.view;
    return { system, tools, dynamicContext, hiddenTokens };
  };
  const predict = (dynamicContext: string | null) => estimator.predict(state.ledger, overhead(dynamicContext));
  const fold = (entry: SessionEntry): number | null => {
    const folded = foldState(state, entry, { estimator, hiddenTokens, work });
    state = folded.state;
    log.add(entry);
    return folded.missingTokens;
  };
  /** Of all that compactions covered, only the newest undo point stays in memory; none if `keep` is `none`. */
  const release = (keep: "newest" | "none") => {
    if (options.archive !== undefined) state = { ...state, view: withoutUndoPoints(state.view, keep) };
  };
  const append = (entry: SessionEntry) => {
    const missingTokens = fold(entry);
    if (entry.type === "compaction") release("newest");
    if (entry.type === "usage" && missingTokens !== null) emit(silentTruncation(entry, missingTokens, predict(null)));
  };
  const prepareUndo = async () => {
    if (state.view.undo !== "archived") return;
    const undo = await undoPointOf(state.view.activeCompactions.at(-1)?.id ?? "", log.reader());
    state = { ...state, view: { ...state.view, undo } };
  };
  const fitStateFor = (input: FitInput, policy: EnginePolicy, measuredBy: Ledger): FitState => ({
    policy,
    kinds,
    ...foldedFor(state, measuredBy),
    overhead: overhead(input.dynamicContext ?? null),
    estimator,
    cutEstimator,
    summarizer: options.summarizer,
    useModel: state.breaker.failures < policy.progress.maximumFailures,
    facts: options.fileTracker === undefined ? state.facts : withTrackedFiles(state.facts, options.fileTracker()),
    kept: {
      pinned: options.pinned ?? [],
      state: (options.stateProviders ?? []).map((provide) => provide()).filter((each) => each !== null),
    },
    beforeCompaction: options.beforeCompaction ?? null,
    deadline: { afterMs: options.answerDeadlineMs ?? ANSWER_DEADLINE_MS, wait: options.wait ?? platformWait },
    work,
  });
  const announceOutcome = (outcome: FitOutcome, failuresBefore: number, policy: EnginePolicy) => {
    const limit = policy.progress.maximumFailures;
    const { failures } = state.breaker;
    if (failuresBefore < limit && failures >= limit) emit({ type: "breaker-open", failures, why: "summaries failed in a row" });
    const isOff = outcome.kind === "unchanged" && outcome.off === "unknown-window";
    if (outcome.kind !== "unchanged" || (isOff && !hasSaidOff)) announce(outcome, estimator.name, emit);
    hasSaidOff ||= isOff;
  };
  const fitWith = async (
    {
      policy,
      input,
      measuredBy = state.ledger,
    }: { readonly policy: EnginePolicy; readonly input: FitInput; readonly measuredBy?: Ledger },
    signal: AbortSignal,
  ): Promise<FitOutcome> => {
    const now = fitStateFor(input, policy, measuredBy);
    const act = whyAct(now, input);
    if (act.kind === "act") emit(startEvent(act.reason, now));
    const { estimatedTokens } = state.ledger;
    const outcome =
      act.kind === "unchanged"
        ? act
        : await compact(now, { ...act, input }, signal).catch((error: unknown) => {
            // Only the caller's abort rejects: the start that was announced gets its end, and the abort reaches the caller.
            const steps = [{ strategy: "fit", outcome: "failed", detail: "aborted" }] as const;
            emit({ type: "compaction-failed", reason: act.reason, steps });
            throw error;
          });
    const { failures } = state.breaker;
    const entry =
      outcome.kind === "compacted"
        ? outcome.entry
        : attemptEntry(outcome, { input, estimatedTokens, lastEntryId: state.view.lastEntryId });
    if (entry !== null) append(entry);
    announceOutcome(outcome, failures, policy);
    return outcome;
  };
  const revert = (nowMs: number | null): RevertEntry => {
    const entry = revertEntry(state.view, nowMs);
    append(entry);
    return entry;
  };
  const manager: ContextManager = {
    append,
    fit: (input, signal) => fitWith({ policy: ownPolicy, input }, signal),
    switchModel: async (to, input, signal) => {
      // What must fit is what the new model counts, although the old one's client writes the summary.
      const measuredBy = estimator.changeModel(state.ledger, to.modelId);
      const fitsAlready =
        whyAct(fitStateFor(input, ownPolicy, measuredBy), { ...input, model: to.limits }).kind === "unchanged" ||
        isNoSmaller(to.limits, state.view.limits);
      const downshift: FitInput = { ...input, model: to.limits, now: { reason: "downshift", keep: null } };
      const outcome: FitOutcome = fitsAlready
        ? { kind: "unchanged", off: null }
        : await fitWith({ policy: ownPolicy, input: downshift, measuredBy }, signal);
      const id = shortHash(`model-change\n${to.modelId}\n${state.view.lastEntryId ?? ""}`);
      append({ type: "model-change", id, modelId: to.modelId, limits: to.limits, atMs: input.nowMs });
      return outcome;
    },
    revert,
    redo: async ({ policy, ...input }, signal) => {
      await prepareUndo();
      revert(input.nowMs);
      return await fitWith({ policy: policy ?? ownPolicy, input: { now: { reason: "manual", keep: null }, ...input } }, signal);
    },
    context: (dynamicContext = null) => {
      const { system, tools, messages } = state.view;
      return { system, tools, messages: messages.slice(), dynamicContext };
    },
    predict: (dynamicContext = null) => predict(dynamicContext),
    recall: (handle, range) => recall(handle, range, log.messages),
    archived: log.archived,
    prepareUndo,
    state: () => state,
    view: () => state.view,
    ledger: () => state.ledger,
    entries: () => log.entries,
  };
  return {
    take: (entry, mayBeUndone = false) => {
      if (entry.type === "revert" && state.view.undo === "archived") throw undoArchived(entry.compactionId);
      fold(entry);
      log.archived(1);
      if (entry.type === "compaction" && !mayBeUndone) release("none");
    },
    opened: () => {
      const isResumed = log.count() > 0;
      const repairs = isResumed && options.repairs !== "none" ? repairsOf(state.view) : [];
      for (const repair of repairs) fold(repair);
      if (repairs.length > 0) emit({ type: "session-repaired", entries: repairs });
      return manager;
    },
  };
}

/** True if both windows are known and the new one leaves at least as much for the prompt: the old model could not write for more. */
function isNoSmaller(to: ModelLimits, from: ModelLimits | null): boolean {
  if (from === null || from.contextWindowTokens === null || to.contextWindowTokens === null) return false;
  const fromTokens = from.contextWindowTokens - (from.maxOutputTokens ?? 0);
  return to.contextWindowTokens - (to.maxOutputTokens ?? 0) >= fromTokens;
}
