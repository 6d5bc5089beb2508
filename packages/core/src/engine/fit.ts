import type { Budget } from "../budget.ts";
import { budgetOf } from "../budget.ts";
import type {
  AppliedEdit,
  CompactionEntry,
  CompactionReason,
  CompactionRecord,
  Gate,
  ModelLimits,
  StepOutcome,
} from "../entry.ts";
import { isPlimsollError } from "../error.ts";
import { shortHash } from "../hash.ts";
import { canonicalJson } from "../json.ts";
import type { Message } from "../message/message.ts";
import type { Keep, Policy } from "../policy/policy.ts";
import type { Summarizer } from "../ports.ts";
import type { Estimator, Overhead } from "../tokens/estimator.ts";
import type { Ledger } from "../tokens/ledger.ts";
import type { WorkCounter } from "../tokens/work.ts";
import { workBetween } from "../tokens/work.ts";
import { execute } from "./execute.ts";
import { plan } from "./plan.ts";
import { reasonToAct } from "./situation.ts";

/** A request to make the context fit before it is sent. */
export interface FitInput {
  readonly gate: Gate;
  /** What is about to be appended and sent; measured, never cut. */
  readonly pending: readonly Message[];
  readonly model: ModelLimits;
  readonly nowMs: number | null;
  readonly dynamicContext?: string | null;
  /** What the person asked the summary to concentrate on. */
  readonly focus?: string | null;
  /** Acts now, whatever the trigger says, and keeps this much; what `/compact` does. */
  readonly manual?: { readonly keep: Keep | null };
  /** The limit that a provider named when it rejected the request. */
  readonly observedLimitTokens?: number | null;
}

/** What the context looks like to the engine: the folded state, and what it is measured and summarised with. */
export interface FitState {
  readonly policy: Policy;
  readonly messages: readonly Message[];
  readonly lastEntryId: string | null;
  readonly modelId: string | null;
  readonly ledger: Ledger;
  readonly overhead: Overhead;
  readonly estimator: Estimator;
  readonly cutEstimator: Estimator;
  readonly summarizer: Summarizer;
  readonly work: WorkCounter;
}

/** One part of a context that cannot be made to fit. */
export interface SizedPart {
  readonly what: "overhead" | "last-human-message" | "pending" | "rest";
  readonly tokens: number;
}

/** What `fit` did. `off` says why nothing was done although something might have been asked for. */
export type FitOutcome =
  | { readonly kind: "unchanged"; readonly off: "disabled" | "unknown-window" | null }
  | { readonly kind: "compacted"; readonly entry: CompactionEntry }
  | { readonly kind: "failed"; readonly reason: CompactionReason; readonly steps: readonly StepOutcome[] }
  | {
      readonly kind: "irreducible";
      readonly reason: CompactionReason;
      readonly budgetTokens: number;
      readonly parts: readonly SizedPart[];
      readonly steps: readonly StepOutcome[];
    };

/** Why the engine would act now, without acting. */
export function whyAct(
  state: FitState,
  input: FitInput,
): { readonly reason: CompactionReason; readonly budget: Budget } | null {
  const budget = budgetFor(state.policy, input);
  if (budget === null) return null;
  if (input.manual !== undefined) return { reason: "manual", budget };
  const { ledger } = state;
  const reason = reasonToAct(state.policy, input.gate, budget, {
    prediction: state.estimator.predict(ledger, state.overhead),
    pendingTokens: tokensOf(input.pending, state),
    newTokens:
      ledger.estimatedAtLastCutTokens === null
        ? null
        : (ledger.estimatedTokens - ledger.estimatedAtLastCutTokens) * ledger.factor,
  });
  return reason === null ? null : { reason, budget };
}

/**
 * Climbs the ladder until the context fits: plans a rung, executes it, keeps its edits if they shrink the view, and goes on to the
 * next rung where it failed or was not enough. Nothing is written: the caller appends the returned entry.
 * Never throws for a failed rung; what failed is in the record.
 */
export async function fit(state: FitState, input: FitInput, signal: AbortSignal): Promise<FitOutcome> {
  if (!state.policy.enabled && input.manual === undefined) return { kind: "unchanged", off: "disabled" };
  if (budgetFor(state.policy, input) === null) return { kind: "unchanged", off: "unknown-window" };
  const act = whyAct(state, input);
  return act === null ? { kind: "unchanged", off: null } : await climb(state, { ...act, input }, signal);
}

interface Climb {
  readonly reason: CompactionReason;
  readonly budget: Budget;
  readonly input: FitInput;
}

async function climb(state: FitState, { reason, budget, input }: Climb, signal: AbortSignal): Promise<FitOutcome> {
  const workBefore = state.work.total();
  const { overheadTokens } = state.estimator.predict(state.ledger, state.overhead);
  const roomTokens = budget.inputBudgetTokens - overheadTokens - tokensOf(input.pending, state);
  const tokensBefore = tokensOf(state.messages, state);
  const keep = input.manual?.keep ?? (reason === "overflow" ? state.policy.overflow.keep : state.policy.keep);
  const steps: StepOutcome[] = [];
  const applied: AppliedEdit[] = [];
  let messages = state.messages;
  let tokens = tokensBefore;
  for (let rung = 0; applied.length === 0 || tokens > roomTokens; ) {
    const next = plan(state.policy, {
      messages,
      budget,
      reason,
      keep,
      roomTokens,
      rung,
      messageTokens: (message) => state.cutEstimator.messageTokens(message, state.ledger),
    });
    for (const skipped of next.skipped)
      steps.push({ strategy: skipped.strategy, outcome: "not-applicable", detail: skipped.reason });
    if (next.kind === "exhausted") break;
    rung = next.rung + 1;
    try {
      const executed = await execute(
        {
          messages,
          edits: next.edits,
          summary: state.policy.summary,
          summarizer: state.summarizer,
          focus: input.focus ?? null,
          nowMs: input.nowMs,
        },
        signal,
      );
      const tokensAfter = tokensOf(executed.messages, state);
      const shrank = tokensAfter < tokens;
      steps.push({
        strategy: next.strategy,
        outcome: shrank ? "applied" : "no-progress",
        detail: shrank ? null : `${tokens} → ${tokensAfter} tokens`,
      });
      if (!shrank) continue;
      applied.push(...executed.applied);
      messages = executed.messages;
      tokens = tokensAfter;
    } catch (error) {
      // A failed rung leaves history as it was; the next one runs. Only the caller's own abort ends the climb.
      if (signal.aborted) throw error;
      steps.push({ strategy: next.strategy, outcome: "failed", detail: failureText(error) });
    }
  }
  if (tokens > roomTokens) {
    return {
      kind: "irreducible",
      reason,
      budgetTokens: budget.inputBudgetTokens,
      parts: partsOf(messages, state, input),
      steps,
    };
  }
  if (applied.length === 0) return { kind: "failed", reason, steps };
  const record: CompactionRecord = {
    policy: state.policy.name,
    reason,
    gate: input.manual === undefined ? input.gate : null,
    steps,
    estimator: state.estimator.name,
    cutEstimator: state.policy.cutEstimator === null ? null : state.cutEstimator.name,
    modelId: state.modelId,
    budgetTokens: budget.inputBudgetTokens,
    tokensBefore: tokensBefore + overheadTokens,
    tokensAfter: tokens + overheadTokens,
    messagesBefore: state.messages.length,
    messagesAfter: messages.length,
    work: workBetween(workBefore, state.work.total()),
  };
  const id = shortHash(canonicalJson({ through: state.lastEntryId, reason, edits: applied }));
  return {
    kind: "compacted",
    entry: { type: "compaction", id, throughEntryId: state.lastEntryId, edits: applied, record, atMs: input.nowMs },
  };
}

/** The budget at this gate; a limit that the provider named counts where it is smaller. */
function budgetFor(policy: Policy, input: FitInput): Budget | null {
  const knownTokens = input.model.contextWindowTokens ?? (policy.unknownWindow === "off" ? null : policy.unknownWindow.tokens);
  const observedTokens = input.observedLimitTokens ?? null;
  const windowTokens = knownTokens === null ? observedTokens : Math.min(knownTokens, observedTokens ?? knownTokens);
  return budgetOf({ contextWindowTokens: windowTokens, maxOutputTokens: input.model.maxOutputTokens });
}

function tokensOf(messages: readonly Message[], state: FitState): number {
  let tokens = 0;
  for (const message of messages) tokens += state.estimator.messageTokens(message, state.ledger);
  return Math.floor(tokens);
}

function partsOf(messages: readonly Message[], state: FitState, input: FitInput): readonly SizedPart[] {
  const { overheadTokens } = state.estimator.predict(state.ledger, state.overhead);
  const human = messages.findLast((message) => message.role === "user" && message.origin === "human");
  const humanTokens = human === undefined ? 0 : tokensOf([human], state);
  return [
    { what: "overhead", tokens: overheadTokens },
    { what: "last-human-message", tokens: humanTokens },
    { what: "pending", tokens: tokensOf(input.pending, state) },
    { what: "rest", tokens: tokensOf(messages, state) - humanTokens },
  ];
}

function failureText(error: unknown): string {
  if (isPlimsollError(error)) return `${error.code}: ${error.message}`;
  return error instanceof Error ? error.message : "unknown failure";
}
