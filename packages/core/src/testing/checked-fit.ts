import { budgetOf } from "../budget.ts";
import type { FitInput, FitOutcome, MissedGoal } from "../engine/fit-input.ts";
import type { CompactionRecord } from "../entry.ts";
import { withoutReasoning } from "../message/bound-reasoning.ts";
import type { Message } from "../message/message.ts";
import { messageChars } from "../message/size.ts";
import type { Policy } from "../policy/policy.ts";
import type { Session } from "../session/session.ts";
import type { Estimator, Ledger } from "../tokens/estimator.ts";
import { type WorkCounter, workBetween } from "../tokens/measure.ts";
import { type CompactionCheck, checkCompaction } from "./check-compaction.ts";
import { isSame } from "./check-log.ts";
import { floorTokens } from "./floor.ts";
import { muchLater, type ScriptedSummarizer } from "./scripted-ports.ts";
import { injected } from "./session-messages.ts";
import type { Report, SessionScenario } from "./session-scenario.ts";

/** A fit to run and check. */
export interface CheckedFit {
  readonly manager: Session;
  readonly scenario: SessionScenario;
  /** Measures for the checks as the policy does, apart from the session's own. */
  readonly estimator: Estimator;
  /** The policy of this fit; sizes are by the scenario's. */
  readonly policy: Policy;
  /** The view and the ledger that the fit began with: those of a redo are the ones after its undo. */
  readonly before: () => { readonly view: readonly Message[]; readonly ledger: Ledger };
  readonly summarizer: ScriptedSummarizer;
  readonly work: WorkCounter;
  readonly input: FitInput;
  /** The model that a switch goes to; `null` for any other fit. */
  readonly nextModelId: string | null;
  /** Runs a fit, a redo or a switch of model. */
  readonly run: (manager: Session, signal: AbortSignal) => Promise<FitOutcome>;
  /** UTF-16 units of the summary that was prepared before. */
  readonly preparedChars: number;
  readonly report: Report;
}

/** The outcome of a fit, `null` if the caller's abort ended it, and the messages that arrived meanwhile. */
export interface FitResult {
  readonly outcome: FitOutcome | null;
  readonly arrived: readonly Message[];
}

/** Runs a fit and checks every rule that holds for its outcome. */
export async function checkedFit(fit: CheckedFit): Promise<FitResult> {
  const { manager, summarizer, work, report } = fit;
  const controller = new AbortController();
  const so = {
    entries: manager.entries().length,
    work: work.total(),
    calls: summarizer.calls(),
    writtenChars: summarizer.writtenChars(),
    floorTokens: floorTokens(manager, fit.estimator, { pending: fit.input.pending, nextModelId: fit.nextModelId }),
  };
  summarizer.use({
    controller,
    arrive: (call) => {
      const human: Message = { ...injected(`steer-${so.entries}-${call}`, "wait"), origin: "human" };
      for (const message of [human, injected(`note-${so.entries}-${call}`, "a note")])
        manager.append({ type: "message", message });
    },
    inspect: (messages) => checkRequest(messages, fit),
  });
  const outcome = await fit.run(manager, controller.signal).catch((error: unknown) => {
    if (!controller.signal.aborted) report("no exception reaches the caller", String(error));
    return null;
  });
  // Ports that answer too late have answered by now.
  await muchLater();
  await muchLater();
  const appended = manager.entries().slice(so.entries);
  const arrived = appended.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const made = appended.filter((entry) => entry.type === "compaction");
  if (made.length !== (outcome?.entry !== undefined ? 1 : 0))
    report("only a fit that compacted appends a compaction", outcome?.kind ?? "aborted");
  const after = manager.view().messages.slice();
  const stayed = after.slice(after.length - arrived.length);
  if (stayed.some((message, index) => message !== arrived[index]))
    report("what arrives meanwhile ends up after the cut, in order", arrived.map((message) => message.id).join(" "));
  const shown = after.slice(0, after.length - arrived.length);
  const { view: before, ledger } = fit.before();
  const removed = appended.flatMap((entry) => ("removedReasoning" in entry ? (entry.removedReasoning ?? []) : []));
  // A switch is decided by the measure of the model that comes, which may price each message otherwise.
  const isSwitch = fit.input.now?.reason === "downshift";
  if (outcome === null) return { outcome, arrived };

  if (outcome.entry !== undefined) {
    await checkCompaction({
      before,
      after: shown,
      entry: outcome.entry,
      removed,
      pending: fit.input.pending,
      otherChars: summarizer.writtenChars() - so.writtenChars + fit.preparedChars + fit.scenario.system.length,
      recall: manager.recall,
      original: (id) => loggedMessage(manager, id),
      tokensOf: (messages) => tokensOf(messages, isSwitch ? manager.state().ledger : ledger, fit),
      report,
    });
    const { reason } = outcome.entry.record;
    const mayAsk = reason !== "emergency" && !(reason === "overflow" && (fit.input.recovery ?? 0) > 0);
    if (!mayAsk && summarizer.calls() > so.calls) report("the steps without a model ask none", reason);
  }

  switch (outcome.kind) {
    case "compacted":
      if (arrived.length === 0) checkFits(fit);
      break;
    case "irreducible":
      if (outcome.entry !== undefined) {
        // The floor was taken before an undo, if there was one.
        if (!appended.some((entry) => entry.type === "revert")) checkMissed(outcome, so.floorTokens, fit);
        break;
      }
      if (arrived.length === 0)
        checkMissed(
          outcome,
          floorTokens(manager, fit.estimator, { pending: fit.input.pending, nextModelId: fit.nextModelId }),
          fit,
        );
      checkUnchanged({ before, after: shown, removed }, report);
      break;
    case "unchanged": {
      // An undo folds the session again, and gives another view.
      if (appended.some((entry) => entry.type === "revert")) break;
      checkUnchanged({ before, after: shown, removed }, report);
      // Reasoning that left with a switch has been weighed again.
      if (removed.length > 0) break;
      const spent = workBetween(so.work, work.total());
      const newChars = fit.input.pending.reduce((sum, message) => sum + messageChars(message), fit.scenario.system.length);
      if (spent.charactersScanned > newChars || spent.messagesVisited > fit.input.pending.length)
        report("a gate that fires nothing looks at what is new alone", JSON.stringify(spent));
      break;
    }
    case "failed":
      if (arrived.length === 0) checkFits(fit);
      checkUnchanged({ before, after: shown, removed }, report);
      break;
    case "cancelled":
      checkUnchanged({ before, after: shown, removed }, report);
      break;
    default:
      outcome satisfies never;
  }
  return { outcome, arrived };
}

/** The message as it was appended; the first of that id. */
function loggedMessage(manager: Session, messageId: string): Message | undefined {
  for (const entry of manager.entries()) if (entry.type === "message" && entry.message.id === messageId) return entry.message;
  return undefined;
}

function tokensOf(messages: readonly Message[], ledger: Ledger, { estimator }: CheckedFit): number {
  return Math.floor(messages.reduce((sum, message) => sum + estimator.messageTokens(message, ledger), 0));
}

/** Input budget of the fit: the model's, or the limit that the provider named if that is smaller. */
function inputBudgetTokens(policy: Policy, { model, observedLimitTokens }: FitInput): number | null {
  const known = model.contextWindowTokens ?? (policy.unknownWindow === "off" ? null : policy.unknownWindow.tokens);
  const contextWindowTokens = known === null ? (observedLimitTokens ?? null) : Math.min(known, observedLimitTokens ?? known);
  const { maxOutputTokens } = model;
  const isTooLow = observedLimitTokens != null && maxOutputTokens !== null && observedLimitTokens <= maxOutputTokens;
  const reserveTokens = isTooLow ? Math.floor(observedLimitTokens / 2) : maxOutputTokens;
  return budgetOf({ contextWindowTokens, maxOutputTokens: reserveTokens })?.inputBudgetTokens ?? null;
}

function checkFits(fit: CheckedFit): void {
  const budgetTokens = inputBudgetTokens(fit.policy, fit.input);
  const { expectedTokens } = fit.manager.predict();
  const pendingTokens = tokensOf(fit.input.pending, fit.manager.state().ledger, fit);
  if (budgetTokens === null || expectedTokens + pendingTokens > budgetTokens)
    fit.report("fits", `${expectedTokens} + ${pendingTokens} of ${budgetTokens}`);
}

/** Prompt, framing and summary are planned with 1,500 tokens, so that the history of a request is given as much in any window. */
const LEAST_HISTORY_TOKENS = 1500;

function checkRequest(messages: readonly Message[], fit: CheckedFit): void {
  // At a switch the model before it writes, within its own window.
  const writer = fit.input.now?.reason === "downshift" ? fit.manager.view().limits : null;
  const budgetTokens = inputBudgetTokens(fit.policy, { ...fit.input, model: writer ?? fit.input.model });
  const limitTokens = Math.max(LEAST_HISTORY_TOKENS, budgetTokens ?? Number.POSITIVE_INFINITY);
  const tokens = tokensOf(messages, fit.before().ledger, fit);
  if (tokens > limitTokens) fit.report("the request for a summary fits", `${tokens} of ${limitTokens}`);
}

/** The facts of a budget that is out of reach, whether or not something was cut. */
type Missed = MissedGoal & Pick<CompactionRecord, "reason" | "steps">;

function checkMissed(outcome: Missed, least: number, { policy, input, report }: CheckedFit): void {
  const budgetTokens = inputBudgetTokens(policy, input);
  if (budgetTokens === null || budgetTokens !== outcome.budgetTokens)
    report("irreducible names the budget", `${outcome.budgetTokens}, not ${budgetTokens}`);
  // The provider said that it does not fit, and nothing was left to take: by its own measure it may fit.
  if (outcome.reason === "overflow" && !outcome.steps.some((step) => step.outcome === "applied")) return;
  if (least <= outcome.budgetTokens)
    report("irreducible only below the floor", `floor ${least} of ${outcome.budgetTokens}: ${JSON.stringify(outcome.steps)}`);
  const namedTokens = outcome.parts.reduce((sum, part) => sum + part.tokens, 0);
  if (namedTokens <= outcome.budgetTokens - outcome.parts.length)
    report("irreducible names what does not fit", `${namedTokens} of ${outcome.budgetTokens}`);
}

function checkUnchanged(
  { before, after, removed }: Pick<CompactionCheck, "before" | "after" | "removed">,
  report: Report,
): void {
  const left = withoutReasoning(before, removed);
  const isSameAs = (message: Message, index: number) =>
    message === left[index] || (removed.length > 0 && isSame([message], left.slice(index, index + 1)));
  if (after.length !== left.length || !after.every(isSameAs))
    report("unchanged means unchanged", `${before.length} messages before, ${after.length} after`);
}

/** Events that may end a `compaction-start`. */
export const ENDS: readonly string[] = ["compaction-end", "compaction-failed", "compaction-cancelled", "context-irreducible"];

/** The outcome of a run that must leave the context as it was. */
export const NOTHING_EDITED: FitOutcome = { kind: "cancelled", by: "hook", reason: "threshold", why: "nothing is edited" };
