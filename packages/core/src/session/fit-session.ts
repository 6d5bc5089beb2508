import { compact } from "../engine/compact.ts";
import { sizedParts, viewMeasure } from "../engine/compaction-tools.ts";
import type { FitInput, FitOutcome, FitState, Missed, PreparedSummaryPort, SummaryWriter } from "../engine/fit-input.ts";
import { withNewestLast } from "../engine/vendor-summary.ts";
import { budgetFor, expectedTokensOf, type GateState, whyAct, windowFilledBy } from "../engine/why-act.ts";
import { failedStep, type ModelLimits, type StepOutcome } from "../entry.ts";
import { canonicalJson } from "../json.ts";
import { isDeclared, isHuman, textOf } from "../message/message.ts";
import type { EnginePolicy } from "../policy/policy.ts";
import { askState, askTracker } from "../port-door.ts";
import type { Ledger } from "../tokens/estimator.ts";
import { promptCacheOf } from "./cache-life.ts";
import { outcomeEvent } from "./events.ts";
import { fitMedia } from "./fit-media.ts";
import { refusalStep } from "./learned-limit.ts";
import type { FittedSession } from "./session.ts";
import { attemptEntry } from "./session-state.ts";
import { type ModelSwitch, modelChangeEntry } from "./view.ts";

/** One fit of a session: by which policy, and by which ledger it is measured. */
export interface SessionFit {
  readonly policy: EnginePolicy;
  readonly input: FitInput;
  readonly measuredBy: Ledger;
  readonly prepared: PreparedSummaryPort | null;
  readonly writer?: SummaryWriter | null;
}

/** Collects the state that a gate reads, before it is known whether anything is done. */
export function gateStateOf(
  { state, setup }: FittedSession,
  { policy, input, measuredBy, writer = null }: Omit<SessionFit, "prepared">,
): Omit<FitState, "memory" | "failedPorts"> {
  const { breaker, reportedAtMs, view, cacheSigns } = state;
  const { system, tools } = view;
  const overhead = { system, tools, dynamicContext: input.dynamicContext ?? null, hiddenTokens: setup.hiddenTokens };
  const prediction = setup.estimator.predict(measuredBy, overhead);
  // Most gates cut nothing, and ask nothing of it. A caller without types may report no model.
  const cache = () => promptCacheOf(cacheSigns, view.modelId ? setup.modelCosts(view.modelId) : null);
  return { policy, setup, view, breaker, reportedAtMs, ledger: measuredBy, overhead, prediction, writer, cache };
}

/** Collects the state that the engine sees. Asks the ports for the present state: tracked files, the state to keep. */
export function fitStateOf(log: FittedSession, fit: Omit<SessionFit, "prepared">): FitState {
  const { memory, setup } = log;
  const failedPorts: StepOutcome[] = [];
  // Their answers are worth much, but no session ends because one is missing.
  const answerIn = <Answer>(strategy: string, ask: () => Answer): Answer | null => {
    try {
      return ask();
    } catch (error) {
      failedPorts.push(failedStep(strategy, error));
      return null;
    }
  };
  const { fileTracker: track, stateProviders = [], pinned = [] } = setup.ports;
  const tracked = track === undefined ? null : answerIn("file-tracker", () => askTracker(track));
  const told = stateProviders.map((provide, index) => answerIn("state-provider", () => askState(provide, index)));
  return {
    ...gateStateOf(log, fit),
    memory: memory.now({
      pinned,
      passages: log.state.wishes.pins.map(({ text }) => text),
      state: told.filter((each) => each !== null),
      files: fit.policy.facts.files,
      tracked: tracked ?? undefined,
    }),
    failedPorts,
  };
}

/** Makes a session fit, appends its edits or attempts, and reports it. */
export async function fitSession(log: FittedSession, given: SessionFit, signal: AbortSignal): Promise<FitOutcome> {
  const { setup, append, tell } = log;
  const gate = gateStateOf(log, given);
  const filled = windowFilledBy(gate, given.input);
  if (filled !== null) tell({ type: "window-filled", ...filled, estimator: setup.estimator.name });
  const media = fitMedia(log, given);
  // If the refusal was about another unit and media were removed, stop here. Else less text may help: the limit was in bytes, or the message was misread.
  if (given.input.refused !== undefined && media.outcome !== null) return media.outcome;
  const fit = { ...given, input: media.input };
  const { input, policy } = fit;
  const gateNow = media.outcome === null ? gate : gateStateOf(log, fit);
  const decided = whyAct(gateNow, input);
  const asked = askedOf(decided, input, gateNow);
  const isUnpaid = asked !== null && asked === log.unpaid;
  const act: typeof decided = isUnpaid ? { kind: "unchanged", off: null } : decided;
  if (act.kind === "unchanged") {
    if (act.off !== null) tell(outcomeEvent(act, setup.estimator.name));
    return media.outcome ?? (log.missed && stillMissed(log, fit)) ?? act;
  }
  const still = act.reason === "overflow" ? log.missed && stillMissed(log, fit) : null;
  if (still !== null) return still;
  const state = fitStateOf(log, fit);
  // Before the first message only the one that is about to be added has a size.
  const tokensBefore = state.prediction.expectedTokens || expectedTokensOf(input.pending, state);
  const before = { estimator: setup.estimator.name, tokensBefore, messagesBefore: state.view.messages.size };
  tell({ type: "compaction-start", reason: act.reason, ...before });
  const { estimatedTokens } = log.state.ledger;
  const outcome = await compact(state, { input, prepared: fit.prepared, ...act }, signal).catch((error: unknown) => {
    // Only the caller's abort rejects: the start that was announced gets its end, and the abort reaches the caller.
    const steps = [{ strategy: "fit", outcome: "failed", detail: "aborted" }] as const;
    tell({ type: "compaction-failed", reason: act.reason, steps });
    throw error;
  });
  const { failures } = log.state.breaker;
  const unknown = typeof input.refusedTokens === "number" ? [refusalStep(input.refusal)] : [];
  const made = outcome.entry && withNewestLast(outcome.entry, state.view, log.state.view);
  const entry =
    made !== undefined
      ? { ...made, record: { ...made.record, steps: [...made.record.steps, ...media.learned, ...unknown] } }
      : attemptEntry(outcome, { input, estimatedTokens, lastEntryId: log.state.view.lastEntryId });
  const logged = entry === null ? null : append(entry);
  if (outcome.kind === "cancelled" && outcome.by === "price") log.unpaid = asked;
  const now = log.state.breaker.failures;
  const isOpened = failures < policy.progress.maximumFailures && now >= policy.progress.maximumFailures;
  if (isOpened) tell({ type: "breaker-open", failures: now, why: "summaries failed in a row" });
  const told: FitOutcome = logged?.type === "compaction" ? { ...outcome, entry: logged, refusal: input.refusal } : outcome;
  tell(outcomeEvent(told, setup.estimator.name));
  return media.outcome?.entry === undefined ? told : { entry: media.outcome.entry, ...told };
}

/** Writes all that decides whether a cut pays, beside the log; `null` if it need not pay. */
function askedOf(act: ReturnType<typeof whyAct>, { pending }: FitInput, gate: GateState): string | null {
  if (act.kind !== "act" || act.reason !== "threshold") return null;
  const { price, budget } = act;
  return canonicalJson({ price, budget, pendingTokens: expectedTokensOf(pending, gate) });
}

/** The parts that an outcome leaves and no cut makes fit; `null` for none. Words that were counted before are the same. */
export function missedIn(
  log: FittedSession,
  input: FitInput,
  outcome: FitOutcome & { readonly kind: "irreducible" },
): Missed | null {
  if (outcome.parts[0]?.over !== undefined) return null;
  const { messages, system, tools } = log.state.view;
  const { measure } = log.setup.estimator;
  const view = messages.slice();
  const human = view.findLast(isHuman);
  const staying = [...(human === undefined ? [] : [human]), ...view.filter(isDeclared), ...input.pending];
  const count = () => staying.reduce((sum, message) => sum + measure.textTokens(textOf(message)), measure.toolsTokens(tools));
  // Where nothing else is left, the count that a provider refused is that of the words.
  const countedTokens = view.every((message) => staying.includes(message)) ? (input.observedPromptTokens ?? 0) : 0;
  const wordTokens = log.missed?.parts.length ? log.missed.wordTokens : count() + measure.textTokens(system);
  return { ...outcome, wordTokens: Math.max(wordTokens, countedTokens) };
}

/** The outcome behind a cut that was not enough, if the words that stay are too large by themselves: it says so again. `null` if a later cut may help. */
function stillMissed(log: FittedSession, fit: SessionFit): FitOutcome | null {
  const { policy, input } = fit;
  const budgetTokens = policy.enabled && input.now === undefined ? budgetFor(policy, input)?.inputBudgetTokens : undefined;
  if (budgetTokens === undefined || log.missed === null) return null;
  const { parts } = log.missed;
  const reason = input.gate === "on-overflow" ? "overflow" : "over-budget";
  const outcome = { kind: "irreducible", reason, budgetTokens, parts, steps: [] } as const;
  if ((missedIn(log, input, outcome)?.wordTokens ?? 0) <= budgetTokens) return null;
  if (parts.length > 0) return outcome;
  const messages = log.state.view.messages.slice();
  const state = gateStateOf(log, fit);
  return { ...outcome, parts: sizedParts(messages, { measure: viewMeasure(messages, state), state, pending: input.pending }) };
}

/** Makes a session fit by the new model's count, although the old one's client writes the summary; then appends the switch. */
export async function switchSessionModel(
  log: FittedSession,
  { to, input, prepared }: Pick<SessionFit, "input" | "prepared"> & { readonly to: ModelSwitch },
  signal: AbortSignal,
): Promise<FitOutcome> {
  const { state, setup } = log;
  const by = {
    policy: setup.policy,
    measuredBy: setup.estimator.changeModel(state.ledger, to.modelId),
    writer: { limits: state.view.limits, ledger: state.ledger },
  };
  const atLimits: FitInput = { ...input, model: to.limits };
  const why = whyAct(gateStateOf(log, { ...by, input }), atLimits);
  const fitsAlready = why.kind === "unchanged" || isNoSmaller(to.limits, state.view.limits);
  const downshift: FitInput = { ...atLimits, now: { reason: "downshift", keep: null } };
  const outcome: FitOutcome = fitsAlready
    ? { kind: "unchanged", off: null }
    : await fitSession(log, { ...by, input: downshift, prepared }, signal);
  log.append(modelChangeEntry(log.state.view, to, input.nowMs));
  return outcome;
}

/** True if both windows are known and the new one leaves at least as much for the prompt: the old model could not write for more. */
function isNoSmaller(to: ModelLimits, from: ModelLimits | null): boolean {
  if (from === null || from.contextWindowTokens === null || to.contextWindowTokens === null) return false;
  const fromTokens = from.contextWindowTokens - (from.maxOutputTokens ?? 0);
  return to.contextWindowTokens - (to.maxOutputTokens ?? 0) >= fromTokens;
}
