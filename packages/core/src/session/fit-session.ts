import { compact } from "../engine/compact.ts";
import type { FitInput, FitOutcome } from "../engine/fit-input.ts";
import { expectedTokensOf } from "../engine/measure-view.ts";
import { whyAct } from "../engine/why-act.ts";
import { type CompactionEntry, loggedLimits, type ModelLimits, type StepOutcome } from "../entry.ts";
import { shortHash } from "../hash.ts";
import { attemptEntry } from "./breaker.ts";
import { type ContextEvent, outcomeEvent, startEvent } from "./events.ts";
import { type FittedMedia, fitMedia } from "./fit-media.ts";
import type { HeldSession } from "./held-session.ts";
import { fitStateOf, gateStateOf, type SessionFit } from "./session-setup.ts";

/** Makes a session fit, appends what was done or tried, and reports it. */
export async function fitSession(session: HeldSession, given: SessionFit, signal: AbortSignal): Promise<FitOutcome> {
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

/** The model that a session goes on with. */
export interface ModelSwitch {
  readonly modelId: string;
  readonly limits: ModelLimits;
}

/** Makes a session fit what the new model counts, although the old one's client writes the summary; then appends the switch. */
export async function switchSessionModel(
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
  const id = shortHash(`model-change\n${to.modelId}\n${state().view.lastEntryId ?? ""}`);
  session.append({ type: "model-change", id, modelId: to.modelId, limits: loggedLimits(to.limits), atMs: input.nowMs });
  return outcome;
}

/** True if both windows are known and the new one leaves at least as much for the prompt: the old model could not write for more. */
function isNoSmaller(to: ModelLimits, from: ModelLimits | null): boolean {
  if (from === null || from.contextWindowTokens === null || to.contextWindowTokens === null) return false;
  const fromTokens = from.contextWindowTokens - (from.maxOutputTokens ?? 0);
  return to.contextWindowTokens - (to.maxOutputTokens ?? 0) >= fromTokens;
}
