import type { Amount } from "../budget.ts";
import { compact } from "../engine/compact.ts";
import { summaryWithin } from "../engine/compaction-tools.ts";
import type { FitInput, FitOutcome, FitState, PreparedSummary } from "../engine/fit-input.ts";
import { expectedTokensOf, reaches, whyAct } from "../engine/why-act.ts";
import type {
  CompactionEntry,
  CompactionReason,
  ModelLimits,
  RevertEntry,
  SessionEntry,
  SetupChangeEntry,
  StepOutcome,
} from "../entry.ts";
import { PlimsollError } from "../error.ts";
import type { Context, Message } from "../message/message.ts";
import type { RequestUnit } from "../message/size.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import type { Summarizer } from "../ports.ts";
import { summaryIn } from "../prompts/parts.ts";
import { strategyOf } from "../strategy/built-in-strategies.ts";
import { addedUsage } from "../summarizer/added-usage.ts";
import type { Ledger, Prediction } from "../tokens/estimator.ts";
import type { Usage } from "../usage.ts";
import type { CompactionEvent, ContextEvent } from "./events.ts";
import { type FittedMedia, fitMedia, mostMedia } from "./fit-media.ts";
import { createHeldSession, type HeldSession } from "./held-session.ts";
import { type Recalled, type RecallRange, recall } from "./recall.ts";
import { type ContextManagerOptions, fitStateOf, gateStateOf, type SessionFit } from "./session-setup.ts";
import { attemptEntry, type SessionState } from "./session-state.ts";
import { type ModelSwitch, modelChangeEntry } from "./setup-change.ts";
import { revertEntry, type SessionView } from "./view.ts";

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
  /** The unit of media of which the context holds more than any request that was answered, if some can be taken out; `null` for none. */
  mostMedia(): RequestUnit | null;
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

/**
 * Makes a context manager with an empty log, or with the entries given, which it reads in order. If a crash left their messages
 * unsendable, it appends repairs, unless `repairs` is "none".
 *
 * @throws PlimsollError `bad-policy` if the policy counts by an encoding whose tokenizer was not given.
 */
export function createContextManager(options: ContextManagerOptions): ContextManager {
  const session = createHeldSession(options);
  for (const entry of options.entries ?? []) session.take(entry);
  return managerOf(session, options);
}

/** A session whose log was taken, as its users see it; with repairs of what a crash left, unless they are not wanted. */
export function managerOf(session: HeldSession, { repairs }: Pick<ContextManagerOptions, "repairs">): ContextManager {
  if (repairs !== "none") session.repair();
  const { state, append, prepareUndo } = session;
  const ownPolicy = session.setup.policy;
  const fit = (input: FitInput, policy: EnginePolicy, signal: AbortSignal) =>
    fitSession(session, { policy, input, measuredBy: state().ledger }, signal);
  const revert = (nowMs: number | null) => append(revertEntry(state().view, nowMs));
  return {
    append: (entry) => void append(entry),
    fit: (input, signal) => fit(input, ownPolicy, signal),
    reaches: (input, atLeast) => {
      const fit = { policy: ownPolicy, input, measuredBy: state().ledger };
      return reaches(gateStateOf(state(), session.setup, fit), input, atLeast);
    },
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
    recall: (handle, range) => recall(handle, range, session.messages),
    mostMedia: () => mostMedia(session),
    archived: session.archived,
    prepareUndo,
    state,
    view: () => state().view,
    ledger: () => state().ledger,
    entries: () => session.entries,
  };
}

/** Makes a session fit, appends what was done or tried, and reports it. */
async function fitSession(session: HeldSession, given: SessionFit, signal: AbortSignal): Promise<FitOutcome> {
  const { state, recallIndex, setup, append, tell } = session;
  session.tellFilled(given);
  const media = fitMedia(session, given);
  const stubbed = stubbedBy(session, media, given);
  if (given.input.refused !== undefined && stubbed !== null) return stubbed;
  // Of what was refused nothing can be taken; less text may be sent for bytes, and in case the words were misread.
  if (given.input.refused !== undefined && media.left.length > 0 && media.textRatio === 1 && !media.isGuess)
    return irreducible(session, media, given);
  const fit = withTextLimit(session, given, media);
  const { input, policy } = fit;
  const act = whyAct(gateStateOf(state(), setup, fit), input);
  if (act.kind === "unchanged") {
    tell(outcomeEvent(act, setup.estimator.name));
    return stubbed ?? act;
  }
  const now = fitStateOf({ state: state(), recallIndex }, setup, fit);
  tell(startEvent(act.reason, now));
  const { estimatedTokens } = state().ledger;
  const outcome = await compact(now, { input, ...act }, signal).catch((error: unknown) => {
    // Only the caller's abort rejects: the start that was announced gets its end, and the abort reaches the caller.
    const steps = [{ strategy: "fit", outcome: "failed", detail: "aborted" }] as const;
    tell({ type: "compaction-failed", reason: act.reason, steps });
    throw error;
  });
  const { failures } = state().breaker;
  const entry =
    outcome.kind === "compacted"
      ? withStep(outcome.entry, media.learned)
      : attemptEntry(outcome, { input, estimatedTokens, lastEntryId: state().view.lastEntryId });
  // A session that waits has lost nothing by a summary that does not fit: the log says nothing of it.
  const logged = entry !== null && (input.only === undefined || entry.type === "compaction") ? append(entry) : null;
  tell(breakerEvent({ before: failures, after: state().breaker.failures, limit: policy.progress.maximumFailures }));
  const isLogged = outcome.kind === "compacted" && logged?.type === "compaction";
  const told: FitOutcome = isLogged ? { ...outcome, entry: logged } : outcome;
  tell(outcomeEvent(told, setup.estimator.name));
  return told;
}

/** Appends the entry that takes media out, and reports it, with what stays over a limit. `null` if nothing was taken. */
function stubbedBy({ state, setup, append, tell }: HeldSession, media: FittedMedia, { input }: SessionFit): FitOutcome | null {
  if (media.left.length > 0 && media.textRatio === 1 && !media.isGuess)
    tell({ type: "context-irreducible", ...irreducibleParts(media, input) });
  if (media.entry === null) return null;
  const { reason, tokensBefore } = media.entry.record;
  const estimator = setup.estimator.name;
  tell({
    type: "compaction-start",
    reason,
    estimator,
    tokensBefore: tokensBefore ?? 0,
    messagesBefore: state().view.messages.size,
  });
  const outcome = { kind: "compacted", entry: append(media.entry) } as const;
  tell(outcomeEvent(outcome, estimator));
  return outcome;
}

function irreducibleParts({ left: parts }: FittedMedia, { model }: FitInput) {
  return { budgetTokens: model.contextWindowTokens ?? 0, parts };
}

/** Makes the outcome of a refusal in another unit than tokens for which nothing can be taken out. */
function irreducible({ state, append }: HeldSession, media: FittedMedia, { input }: SessionFit): FitOutcome {
  const steps = media.learned === null ? [] : [media.learned];
  const outcome = { kind: "irreducible", reason: "overflow", steps, ...irreducibleParts(media, input) } as const;
  const { ledger, view } = state();
  const entry = attemptEntry(outcome, { input, estimatedTokens: ledger.estimatedTokens, lastEntryId: view.lastEntryId });
  if (entry !== null) append(entry);
  return outcome;
}

/** The fit under the window that a limit of bytes leaves, if text is over it. */
function withTextLimit(session: HeldSession, fit: SessionFit, { textRatio }: FittedMedia): SessionFit {
  if (textRatio === 1) return fit;
  const { input } = fit;
  const { ledger } = session.state();
  const { estimator } = session.setup;
  const promptTokens =
    session.predict(input.dynamicContext ?? null).expectedTokens + expectedTokensOf(input.pending, { estimator, ledger });
  const limitTokens = Math.floor(promptTokens * textRatio) + (input.model.maxOutputTokens ?? 0);
  const observedLimitTokens = Math.min(limitTokens, input.observedLimitTokens ?? limitTokens);
  return { ...fit, input: { ...input, observedLimitTokens } };
}

function withStep(entry: CompactionEntry, step: StepOutcome | null): CompactionEntry {
  return step === null ? entry : { ...entry, record: { ...entry.record, steps: [...entry.record.steps, step] } };
}

/** Makes the event if this fit opened the breaker. */
function breakerEvent(failures: {
  readonly before: number;
  readonly after: number;
  readonly limit: number;
}): ContextEvent | null {
  const { before, after, limit } = failures;
  if (before >= limit || after < limit) return null;
  return { type: "breaker-open", failures: after, why: "summaries failed in a row" };
}

/** Makes a session fit what the new model counts, although the old one's client writes the summary; then appends the switch. */
async function switchSessionModel(
  session: HeldSession,
  { to, input }: { readonly to: ModelSwitch; readonly input: FitInput },
  signal: AbortSignal,
): Promise<FitOutcome> {
  const { state, setup } = session;
  const { policy } = setup;
  const measuredBy = setup.estimator.changeModel(state().ledger, to.modelId);
  const writer = { limits: state().view.limits, ledger: state().ledger };
  const atLimits: FitInput = { ...input, model: to.limits };
  const now = gateStateOf(state(), setup, { policy, input, measuredBy });
  const fitsAlready = whyAct(now, atLimits).kind === "unchanged" || isNoSmaller(to.limits, state().view.limits);
  const downshift: FitInput = { ...atLimits, now: { reason: "downshift", keep: null } };
  const outcome: FitOutcome = fitsAlready
    ? { kind: "unchanged", off: null }
    : await fitSession(session, { policy, input: downshift, measuredBy, writer }, signal);
  session.append(modelChangeEntry(state().view, to, input.nowMs));
  return outcome;
}

/** True if both windows are known and the new one leaves at least as much for the prompt: the old model could not write for more. */
function isNoSmaller(to: ModelLimits, from: ModelLimits | null): boolean {
  if (from === null || from.contextWindowTokens === null || to.contextWindowTokens === null) return false;
  const fromTokens = from.contextWindowTokens - (from.maxOutputTokens ?? 0);
  return to.contextWindowTokens - (to.maxOutputTokens ?? 0) >= fromTokens;
}

/**
 * Has the policy's model write the summary that it would write if it acted now, and appends nothing. `null` if the policy asks no model, while
 * the breaker is open, if a summary could be as long as what it would cover (right after a compaction), and if no usable one came of it. Rejects only
 * when the signal aborts.
 */
async function prepareSummary(
  session: HeldSession,
  { now: _, ...input }: FitInput,
  signal: AbortSignal,
): Promise<PreparedSummary | null> {
  const { policy, kinds } = session.setup;
  const asking = policy.strategies.find((spec) => strategyOf(spec, kinds.strategies).needsModel);
  if (asking === undefined) return null;
  const fallback = policy.fallback === null ? null : { ...policy.fallback, strategies: [], forced: [] };
  const at: FitInput = { ...input, gate: "before-step", pending: [], only: "prepared" };
  const state = stateAt(session, at, { ...policy, strategies: [asking], fallback });
  const act = whyAct(state, at);
  if (!state.useModel || act.kind !== "act") return null;
  const { only: ___, ...asked } = at;
  const { summarizer, isAsked, paid } = worthAsking(state, summaryWithin(policy.summary, act.budget).maxTokens);
  const alone = { ...state, summarizer, beforeCompaction: null, prepared: null };
  const outcome = await compact(alone, { ...act, input: asked }, signal);
  if (!isAsked()) return null;
  const edit = outcome.kind === "compacted" ? outcome.entry.edits[0] : undefined;
  const [first] = edit?.kind === "replace-spans" ? (edit.message?.parts ?? []) : [];
  if (edit?.kind !== "replace-spans" || edit.by !== "summary" || first?.type !== "text") {
    const steps = outcome.kind === "failed" || outcome.kind === "irreducible" ? outcome.steps : [];
    session.tell({ type: "summary-prepared", outcome: "failed", usage: paid(), steps });
    return null;
  }
  const { kind, spans, by, usage, prompts, repairs } = edit;
  const written = { text: summaryIn(first.text), usage, prompts, repairs };
  session.tell({ type: "summary-prepared", outcome: "ready", usage, steps: [] });
  return { edit: { kind, spans, by, written }, covered: coveredBy(spans, state.messages()) };
}

/** The summariser, but a first request about less than a summary may take is refused: it could not be progress. `paid` is what its answers took. */
function worthAsking({ summarizer, estimator, ledger }: FitState, leastTokens: number) {
  let isAsked = false;
  const paid: (Usage | null)[] = [];
  const asking: Summarizer = async (request, signal) => {
    const covered = request.parts.flatMap((part) => part.messages);
    const tokens = covered.reduce((sum, message) => sum + estimator.messageTokens(message, ledger), 0);
    if (!isAsked && tokens < leastTokens) throw new PlimsollError("summary-failed", "there is too little to summarise yet");
    isAsked = true;
    const summary = await summarizer(request, signal);
    paid.push(summary.usage);
    return summary;
  };
  return { summarizer: asking, isAsked: () => isAsked, paid: () => (paid.length === 0 ? null : paid.reduce(addedUsage)) };
}

function stateAt(session: HeldSession, input: FitInput, policy: EnginePolicy): FitState {
  const { state, recallIndex, setup } = session;
  return fitStateOf({ state: state(), recallIndex }, setup, { policy, input, measuredBy: state().ledger });
}

function coveredBy(spans: PreparedSummary["edit"]["spans"], messages: readonly Message[]): readonly Message[] {
  const place = (id: string) => messages.findIndex((message) => message.id === id);
  return spans.flatMap(({ from, through }) => messages.slice(place(from), place(through) + 1));
}

function compactionEvent({ entry, missed }: Pick<CompactionEvent, "entry" | "missed">, estimator: string): CompactionEvent {
  const { record } = entry;
  const { tokensBefore, tokensAfter, messagesBefore, messagesAfter } = record;
  return {
    type: "compaction-end",
    estimator,
    reason: record.reason,
    strategies: record.steps.filter((step) => step.outcome === "applied").map((step) => step.strategy),
    step: record.step ?? null,
    tokensBefore,
    tokensAfter,
    tokensRemoved: tokensBefore === null || tokensAfter === null ? null : tokensBefore - tokensAfter,
    messagesBefore,
    messagesAfter,
    messagesRemoved: messagesBefore - messagesAfter,
    entry,
    ...(missed === undefined ? {} : { missed }),
  };
}

/** Makes the event before a compaction begins. */
function startEvent(reason: CompactionReason, { estimator, ledger, overhead, messages }: FitState): ContextEvent {
  const tokensBefore = estimator.predict(ledger, overhead).expectedTokens;
  return { type: "compaction-start", reason, estimator: estimator.name, tokensBefore, messagesBefore: messages().length };
}

/** Makes the event of a fit's outcome; `null` if there is nothing to tell. */
function outcomeEvent(outcome: FitOutcome, estimator: string): ContextEvent | null {
  switch (outcome.kind) {
    case "compacted":
      return compactionEvent(outcome, estimator);
    case "cancelled":
      return { type: "compaction-cancelled", reason: outcome.reason, why: outcome.why };
    case "failed":
      return { type: "compaction-failed", reason: outcome.reason, steps: outcome.steps };
    case "irreducible":
      return { type: "context-irreducible", budgetTokens: outcome.budgetTokens, parts: outcome.parts };
    case "unchanged":
      return outcome.off === "unknown-window" ? { type: "compaction-off", why: "unknown-window" } : null;
    default:
      return outcome satisfies never;
  }
}
