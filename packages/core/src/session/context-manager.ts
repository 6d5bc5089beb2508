import { fit, whyAct } from "../engine/fit.ts";
import type { FitInput, FitOutcome, FitState } from "../engine/fit-input.ts";
import type { ModelLimits, RevertEntry, SessionEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { foldFacts, NO_FACTS, withTrackedFiles } from "../facts/facts.ts";
import { shortHash } from "../hash.ts";
import type { Context } from "../message/message.ts";
import { isHuman } from "../message/message.ts";
import type { Policy } from "../policy/policy.ts";
import type { EstimatorSpec, Overhead, Prediction } from "../tokens/estimator.ts";
import { createEstimator } from "../tokens/estimator.ts";
import type { Ledger } from "../tokens/ledger.ts";
import { EMPTY_LEDGER } from "../tokens/ledger.ts";
import { pooledPriors } from "../tokens/model-prior.ts";
import { createWorkCounter } from "../tokens/work.ts";
import { afterAttempt, CLOSED_BREAKER } from "./breaker.ts";
import type { ContextManagerOptions } from "./context-manager-options.ts";
import type { ContextListener } from "./events.ts";
import { announce } from "./events.ts";
import { foldLedger } from "./ledger.ts";
import { createMessageIndex } from "./message-index.ts";
import { EMPTY_PROMPT_WATCH, foldPromptWatch, silentTruncation } from "./prompt-watch.ts";
import type { Recalled, RecallRange } from "./recall.ts";
import { recall } from "./recall.ts";
import { repairsOf } from "./repair-view.ts";
import type { SessionView } from "./view.ts";
import { EMPTY_VIEW, foldEntry } from "./view.ts";

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
  redo(input: FitInput & { readonly policy?: Policy }, signal: AbortSignal): Promise<FitOutcome>;
  /** What to send now. */
  context(dynamicContext?: string | null): Context;
  /** What the next request is expected to measure, without what is pending. */
  predict(dynamicContext?: string | null): Prediction;
  /** A bounded piece of the original that a handle names, or `null`. */
  recall(handle: string, range: RecallRange): Recalled | null;
  view(): SessionView;
  /** What is known about sizes; with the policy's estimator it prices any message. */
  ledger(): Ledger;
  entries(): readonly SessionEntry[];
}

/**
 * A context manager over an empty log, or over the entries given. Its state is only a cache of their folds.
 *
 * @throws PlimsollError `bad-policy` where the policy counts by an encoding whose tokenizer was not given.
 */
export function createContextManager(options: ContextManagerOptions): ContextManager {
  const work = options.work ?? createWorkCounter();
  const { modelPriors: priors = pooledPriors, tokenizers = {} } = options;
  const estimatorOf = (spec: EstimatorSpec) => createEstimator(spec, work, { priors, tokenizers });
  const estimator = estimatorOf(options.policy.estimator);
  const cutEstimator = options.policy.cutEstimator === null ? estimator : estimatorOf(options.policy.cutEstimator);
  const emit: ContextListener = options.onEvent ?? (() => undefined);
  const log: SessionEntry[] = [];
  const messageIndex = createMessageIndex();
  let view = EMPTY_VIEW;
  let ledger = EMPTY_LEDGER;
  let facts = NO_FACTS;
  let breaker = CLOSED_BREAKER;
  let watch = EMPTY_PROMPT_WATCH;
  let saidOff = false;
  let reportedAtMs: number | null = null;
  let isOpen = false;

  const overhead = (dynamicContext: string | null): Overhead => ({
    system: view.system,
    tools: view.tools,
    dynamicContext,
    hiddenTokens: options.hiddenOverheadTokens ?? 0,
  });
  const append = (entry: SessionEntry) => {
    view = foldEntry(view, entry);
    const watched = foldPromptWatch(watch, entry, view);
    watch = watched.watch;
    if (isOpen && entry.type === "usage" && watched.missingTokens !== null)
      emit(silentTruncation(entry, watched.missingTokens, estimator.predict(ledger, overhead(null))));
    work.folded(1);
    ledger = foldLedger(ledger, entry, { estimator, view, overhead: overhead(null) });
    facts = foldFacts(facts, entry);
    messageIndex.add(entry);
    if (entry.type === "message" && isHuman(entry.message)) breaker = { ...breaker, failures: 0 };
    if (entry.type === "usage") reportedAtMs = entry.atMs ?? reportedAtMs;
    log.push(entry);
  };
  const newTokens = (): number | null => {
    const since = breaker.estimatedAtLastAttemptTokens ?? ledger.estimatedAtLastCutTokens;
    return since === null ? null : (ledger.estimatedTokens - since) * ledger.factor;
  };
  const stateFor = (input: FitInput, policy: Policy, measuredBy: Ledger): FitState => ({
    policy,
    messages: () => view.messages.slice(),
    lastEntryId: view.lastEntryId,
    modelId: view.modelId,
    ledger: measuredBy,
    overhead: overhead(input.dynamicContext ?? null),
    estimator,
    cutEstimator,
    summarizer: options.summarizer,
    useModel: breaker.failures < policy.progress.maximumFailures,
    newTokens: newTokens(),
    reportedAtMs,
    facts: options.fileTracker === undefined ? facts : withTrackedFiles(facts, options.fileTracker()),
    kept: {
      pinned: options.pinned ?? [],
      state: (options.stateProviders ?? []).map((provide) => provide()).filter((state) => state !== null),
    },
    beforeCompaction: options.beforeCompaction ?? null,
    work,
  });
  const fitWith = async (
    { policy, input, measuredBy = ledger }: { readonly policy: Policy; readonly input: FitInput; readonly measuredBy?: Ledger },
    signal: AbortSignal,
  ): Promise<FitOutcome> => {
    const state = stateFor(input, policy, measuredBy);
    const act = policy.enabled || input.now !== undefined ? whyAct(state, input) : null;
    if (act !== null) {
      const tokensBefore = estimator.predict(measuredBy, state.overhead).expectedTokens;
      emit({
        type: "compaction-start",
        reason: act.reason,
        estimator: estimator.name,
        tokensBefore,
        messagesBefore: view.messages.size,
      });
    }
    const estimatedTokens = ledger.estimatedTokens;
    const outcome = await fit(state, input, signal).catch((error: unknown) => {
      // Only the caller's abort rejects: the start that was announced gets its end, and the abort reaches the caller.
      if (act !== null)
        emit({
          type: "compaction-failed",
          reason: act.reason,
          steps: [{ strategy: "fit", outcome: "failed", detail: "aborted" }],
        });
      throw error;
    });
    if (outcome.kind === "compacted") append(outcome.entry);
    const { failures } = breaker;
    breaker = afterAttempt(breaker, outcome, estimatedTokens);
    const limit = policy.progress.maximumFailures;
    if (failures < limit && breaker.failures >= limit)
      emit({ type: "breaker-open", failures: breaker.failures, why: "summaries failed in a row" });
    if (outcome.kind !== "unchanged" || (outcome.off === "unknown-window" && !saidOff)) announce(outcome, estimator.name, emit);
    saidOff ||= outcome.kind === "unchanged" && outcome.off === "unknown-window";
    return outcome;
  };
  const revert = (nowMs: number | null): RevertEntry => {
    const latest = view.activeCompactions.at(-1);
    if (latest === undefined) throw new PlimsollError("bad-input", "there is no compaction to undo");
    if (latest.record.reason === "repair") {
      throw new PlimsollError(
        "bad-input",
        "the newest compaction is a repair of a damaged session; undoing it would make the session unsendable",
      );
    }
    const id = shortHash(`revert\n${latest.id}\n${view.lastEntryId ?? ""}`);
    const entry: RevertEntry = { type: "revert", id, compactionId: latest.id, atMs: nowMs };
    append(entry);
    return entry;
  };
  for (const entry of options.entries ?? []) append(entry);
  const repairs = options.entries === undefined ? [] : repairsOf(view);
  for (const repair of repairs) append(repair);
  isOpen = true;
  if (repairs.length > 0) emit({ type: "session-repaired", entries: repairs });

  return {
    append,
    fit: (input, signal) => fitWith({ policy: options.policy, input }, signal),
    switchModel: async (to, input, signal) => {
      // What must fit is what the new model counts, although the old one's client writes the summary.
      const measuredBy = estimator.changeModel(ledger, to.modelId);
      const { policy } = options;
      const fitsAlready =
        whyAct(stateFor(input, policy, measuredBy), { ...input, model: to.limits }) === null ||
        isNoSmaller(to.limits, view.limits);
      const downshift: FitInput = { ...input, model: to.limits, now: { reason: "downshift", keep: null } };
      const outcome: FitOutcome = fitsAlready
        ? { kind: "unchanged", off: null }
        : await fitWith({ policy, input: downshift, measuredBy }, signal);
      const id = shortHash(`model-change\n${to.modelId}\n${view.lastEntryId ?? ""}`);
      append({ type: "model-change", id, modelId: to.modelId, limits: to.limits, atMs: input.nowMs });
      return outcome;
    },
    revert,
    redo: async ({ policy, ...input }, signal) => {
      revert(input.nowMs);
      return await fitWith(
        { policy: policy ?? options.policy, input: { now: { reason: "manual", keep: null }, ...input } },
        signal,
      );
    },
    context: (dynamicContext = null) => ({
      system: view.system,
      tools: view.tools,
      messages: view.messages.slice(),
      dynamicContext,
    }),
    predict: (dynamicContext = null) => estimator.predict(ledger, overhead(dynamicContext)),
    recall: (handle, range) => recall(handle, range, messageIndex),
    view: () => view,
    ledger: () => ledger,
    entries: () => log,
  };
}

/** True where both windows are known and the new one leaves at least as much for the prompt: the old model could not write for more. */
function isNoSmaller(to: ModelLimits, from: ModelLimits | null): boolean {
  if (from === null || from.contextWindowTokens === null || to.contextWindowTokens === null) return false;
  const fromTokens = from.contextWindowTokens - (from.maxOutputTokens ?? 0);
  return to.contextWindowTokens - (to.maxOutputTokens ?? 0) >= fromTokens;
}
