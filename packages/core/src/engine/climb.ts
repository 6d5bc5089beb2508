import type { Budget } from "../budget.ts";
import type { AppliedEdit, CompactionReason, CompactionRecord, StepOutcome } from "../entry.ts";
import { shortHash } from "../hash.ts";
import { canonicalJson } from "../json.ts";
import type { Message } from "../message/message.ts";
import type { Keep } from "../policy/policy.ts";
import { workBetween } from "../tokens/work.ts";
import { askHook } from "./ask-hook.ts";
import type { ClimbTools } from "./climb-tools.ts";
import { summaryWithin, toolsFor } from "./climb-tools.ts";
import { execute } from "./execute.ts";
import { failureText } from "./failure-text.ts";
import type { FitInput, FitOutcome, FitState } from "./fit-input.ts";
import type { Goal } from "./goal.ts";
import { goalOf, isForced } from "./goal.ts";
import type { ViewMeasure } from "./measure-view.ts";
import { expectedTokensOf, sizedParts, viewMeasure } from "./measure-view.ts";
import type { Rung } from "./plan.ts";
import { FORCED_LADDER, ladderOf, plan } from "./plan.ts";

/** Why and within what a climb happens. */
export interface Climb {
  readonly reason: CompactionReason;
  readonly budget: Budget;
  readonly input: FitInput;
}

/**
 * Climbs the ladder: plans a rung, executes it, keeps its edits if they shrink the view, and goes on to the next rung where it
 * failed or was not enough. The policy's own rungs run until its target is met, the engine's only while the context does not fit.
 * Nothing is written: the caller appends the returned entry. Rejects only when the caller's signal aborts; what failed is in the record.
 */
export async function climb(state: FitState, { reason, budget, input }: Climb, signal: AbortSignal): Promise<FitOutcome> {
  const workBefore = state.work.total();
  const before = state.messages();
  const measure = viewMeasure(before, state);
  const { overheadTokens, expectedTokens, viewTokens: tokensBefore } = measure;
  const pendingTokens = expectedTokensOf(input.pending, state);
  const goal = goalOf(state, { reason, budget, input }, { tokensBefore, overheadTokens, pendingTokens });
  const steps: StepOutcome[] = [];

  const decision = await askHook(
    state,
    { reason, tokensBefore: expectedTokens, budgetTokens: budget.inputBudgetTokens, messages: before },
    { steps, signal },
  );
  if (decision.kind === "cancel") return { kind: "cancelled", reason, why: decision.why };

  const forced = isForced(state.policy, reason, input);
  const useModel = state.useModel && !(reason === "overflow" && (input.recovery ?? 0) > 0);
  const rungs = forced
    ? FORCED_LADDER
    : { ladder: ladderOf(state.policy, reason, useModel), keep: keepFor(state, reason, input) };
  const tools = toolsFor(state, { budget, goal, measure, summary: decision.kind === "summary" ? decision.text : null });
  const climbed = await climbRungs(state, { ...rungs, goal, budget, tools, measure, before, input, steps }, signal);

  // The bound is what to aim at, not a reason to give up: what is expected to fit is sent, and a rejection is recovered from.
  // But a rejection that nothing is left to take for is one, whatever the estimate says.
  const isSpent = reason === "overflow" && climbed.applied.length === 0;
  if (climbed.tokens > goal.budgetTokens || isSpent) {
    return {
      kind: "irreducible",
      reason,
      budgetTokens: budget.inputBudgetTokens,
      parts: sizedParts(climbed.messages, { measure, state, input }),
      steps,
    };
  }
  if (climbed.applied.length === 0) return { kind: "failed", reason, steps };
  const record: CompactionRecord = {
    policy: state.policy.name,
    reason,
    gate: input.now === undefined ? input.gate : null,
    steps,
    estimator: state.estimator.name,
    cutEstimator: state.policy.cutEstimator === null ? null : state.cutEstimator.name,
    modelId: state.modelId,
    budgetTokens: budget.inputBudgetTokens,
    tokensBefore: expectedTokens,
    tokensAfter: expectedTokensOf(climbed.messages, state) + overheadTokens,
    messagesBefore: before.length,
    messagesAfter: climbed.messages.length,
    work: workBetween(workBefore, state.work.total()),
    ...(input.step === undefined ? {} : { step: input.step }),
  };
  const id = shortHash(canonicalJson({ through: state.lastEntryId, reason, edits: climbed.applied }));
  return {
    kind: "compacted",
    entry: { type: "compaction", id, throughEntryId: state.lastEntryId, edits: climbed.applied, record, atMs: input.nowMs },
  };
}

interface RungsInput {
  readonly ladder: readonly Rung[];
  readonly goal: Goal;
  readonly budget: Budget;
  readonly keep: Keep;
  readonly tools: ClimbTools;
  readonly before: readonly Message[];
  readonly measure: ViewMeasure;
  readonly input: FitInput;
  /** Receives what happened at each rung. */
  readonly steps: StepOutcome[];
}

interface Climbed {
  readonly messages: readonly Message[];
  readonly tokens: number;
  readonly applied: readonly AppliedEdit[];
}

async function climbRungs(state: FitState, rungs: RungsInput, signal: AbortSignal): Promise<Climbed> {
  const { ladder, goal, tools, input, steps } = rungs;
  const applied: AppliedEdit[] = [];
  let messages = rungs.before;
  let tokens = rungs.measure.viewTokens;
  for (let rung = 0; rung < ladder.length; ) {
    // What is enough for a rung is enough for all after it: none of them is looked at.
    if (isEnough(ladder[rung], { goal, tokens, acted: applied.length > 0 })) break;
    const next = plan({
      messages,
      ladder,
      rung,
      keep: rungs.keep,
      budget: rungs.budget,
      roomTokens: goal.engineTokens,
      lineTokens: goal.lineTokens,
      cause: input.now !== undefined ? "demand" : input.gate === "on-overflow" ? "overflow" : "size",
      ...tools.pricing,
    });
    const tried = next.kind === "edits" ? next.rung : ladder.length;
    for (const skipped of next.skipped)
      steps.push({ strategy: skipped.strategy, outcome: "not-applicable", detail: skipped.reason });
    if (next.kind === "exhausted") break;
    if (isEnough(ladder[tried], { goal, tokens, acted: applied.length > 0 })) break;
    rung = tried + 1;
    try {
      const summary = summaryWithin(state.policy.summary, rungs.budget);
      const { facts, excerpts, summarizer, digest } = tools;
      const executed = await execute(
        {
          messages,
          edits: next.edits,
          pending: input.pending,
          summary,
          opening: state.overhead,
          summarizer,
          digest,
          facts,
          excerpts,
          focus: input.focus ?? null,
          nowMs: input.nowMs,
        },
        signal,
      );
      const tokensAfter = rungs.measure.tokensOf(executed.messages);
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
      // A failed rung leaves history as it was and the next one runs. Only the caller's own abort ends the climb.
      if (signal.aborted) throw error;
      steps.push({ strategy: next.strategy, outcome: "failed", detail: failureText(error) });
    }
  }
  return { messages, tokens, applied };
}

/** The policy's rungs run until its target is met; the engine's while the context does not fit, the digest also where nothing else worked. */
function isEnough(rung: Rung | undefined, so: { goal: Goal; tokens: number; acted: boolean }): boolean {
  if (rung === undefined) return true;
  if (rung.isOwn) return so.acted && so.tokens <= so.goal.ownTokens;
  return so.tokens <= so.goal.engineTokens && (so.acted || rung.spec.kind !== "summarize");
}

function keepFor(state: FitState, reason: CompactionReason, input: FitInput): Keep {
  const { keep, manualKeep, overflow } = state.policy;
  if (input.now !== undefined) return input.now.keep ?? (reason === "manual" ? (manualKeep ?? keep) : keep);
  return reason === "overflow" ? overflow.keep : keep;
}
