import type { Budget } from "../budget.ts";
import { resolveAmount } from "../budget.ts";
import type { Edit } from "../edit/edit.ts";
import type { AppliedEdit, CompactionReason, StepOutcome } from "../entry.ts";
import type { Message } from "../message/message.ts";
import type { Keep } from "../policy/policy.ts";
import type { StrategySpec } from "../strategy/built-in-strategies.ts";
import { strategyOf } from "../strategy/built-in-strategies.ts";
import type { Strategy, StrategyInput } from "../strategy/strategy.ts";
import { failureText } from "./ask-hook.ts";
import type { Executed } from "./execute.ts";
import type { FitInput, FitState } from "./fit-input.ts";
import type { Goal } from "./goal.ts";
import { isForced } from "./goal.ts";

/** One step of a chain: the policy's own, the first of its fallback, or another of it. */
export interface ChainStep {
  readonly strategy: Strategy;
  readonly from: "policy" | "first-of-fallback" | "fallback";
}

/** Strategies to try in order, and what of the newest history those keep that ask for it. */
export interface Chain {
  readonly steps: readonly ChainStep[];
  readonly keep: Keep;
}

/**
 * The chain for a reason: the policy's strategies, then those of its fallback. Without the model (an emergency, a second recovery from an
 * overflow, an open breaker) strategies that need one are left out. At the last recovery the fallback's forced strategies stand in the place
 * of the policy's, and nothing is kept.
 */
export function chainOf(
  { policy, kinds, useModel }: Pick<FitState, "policy" | "kinds" | "useModel">,
  { reason, input }: { readonly reason: CompactionReason; readonly input: FitInput },
): Chain {
  const isRecoveredAgain = reason === "overflow" && (input.recovery ?? 0) > 0;
  const withModel = useModel && reason !== "emergency" && !isRecoveredAgain;
  const { fallback } = policy;
  const bound = (specs: readonly StrategySpec[], fromAt: (index: number) => ChainStep["from"]): readonly ChainStep[] =>
    specs
      .map((spec) => strategyOf(spec, kinds.strategies))
      .filter(({ needsModel }) => withModel || !needsModel)
      .map((strategy, index) => ({ strategy, from: fromAt(index) }));
  const forced = fallback !== null && isForced(policy, reason, input);
  const own = forced ? fallback.forced : policy.strategies;
  return {
    steps: [
      ...bound(own, () => "policy"),
      ...bound(fallback?.strategies ?? [], (index) => (index === 0 ? "first-of-fallback" : "fallback")),
    ],
    keep: forced ? { messages: 0 } : keepFor(policy, reason, input),
  };
}

function keepFor({ keep, manualKeep, overflow }: FitState["policy"], reason: CompactionReason, input: FitInput): Keep {
  if (input.now !== undefined) return input.now.keep ?? (reason === "manual" ? (manualKeep ?? keep) : keep);
  return reason === "overflow" ? overflow.keep : keep;
}

/** A view on its way through a chain, and what was done to it. */
export interface ChainRun {
  readonly messages: readonly Message[];
  /** Expected tokens of the messages. */
  readonly tokens: number;
  readonly applied: readonly AppliedEdit[];
  readonly steps: readonly StepOutcome[];
}

/** What a chain runs with. */
export interface ChainTools {
  readonly goal: Goal;
  readonly budget: Budget;
  readonly cause: StrategyInput["cause"];
  readonly pricing: Pick<StrategyInput, "messageTokens" | "keptMessageTokens" | "measure" | "scaleRatio" | "noticeTokens">;
  readonly tokensOf: (messages: readonly Message[]) => number;
  readonly carryOut: (messages: readonly Message[], edits: readonly Edit[], signal: AbortSignal) => Promise<Executed>;
}

/**
 * Runs a chain: each step plans on what the steps before it made, and its edits stay if they shrink the view. The policy's steps run until
 * its target is met, the fallback's only while the context does not fit. A step that fails leaves the view as it was and the next one runs.
 * Rejects only when the caller's signal aborts.
 */
export async function runChain(chain: Chain, start: ChainRun, tools: ChainTools, signal: AbortSignal): Promise<ChainRun> {
  let run = start;
  for (const { strategy, from } of chain.steps) {
    // What is enough for a step is enough for all after it.
    if (isEnough(from, run, tools.goal)) break;
    run = await afterStep(strategy, run, { ...tools, keep: resolvedKeep(chain.keep, tools.budget) }, signal);
  }
  return run;
}

/** The policy's steps run until its target is met; the fallback's while the context does not fit, its first also if nothing worked yet. */
function isEnough(from: ChainStep["from"], { tokens, applied }: ChainRun, { targetTokens, limitTokens }: Goal): boolean {
  const hasActed = applied.length > 0;
  if (from === "policy") return hasActed && tokens <= targetTokens;
  return tokens <= limitTokens && (hasActed || from !== "first-of-fallback");
}

async function afterStep(
  strategy: Strategy,
  run: ChainRun,
  tools: ChainTools & Pick<StrategyInput, "keep">,
  signal: AbortSignal,
): Promise<ChainRun> {
  const { goal, budget, cause, keep, pricing } = tools;
  const said = (outcome: StepOutcome["outcome"], detail: string | null): ChainRun => ({
    ...run,
    steps: [...run.steps, { strategy: strategy.name, outcome, detail }],
  });
  const answer = strategy.plan({
    ...pricing,
    messages: run.messages,
    budget,
    roomTokens: goal.limitTokens,
    lineTokens: goal.lineTokens,
    keep,
    cause,
  });
  if (answer.kind === "not-applicable") return said("not-applicable", answer.reason);
  try {
    const executed = await tools.carryOut(run.messages, answer.edits, signal);
    const tokens = tools.tokensOf(executed.messages);
    if (tokens >= run.tokens) return said("no-progress", `${run.tokens} → ${tokens} tokens`);
    return {
      ...said("applied", null),
      messages: executed.messages,
      tokens,
      applied: [...run.applied, ...executed.applied],
    };
  } catch (error) {
    // Only the caller's own abort ends the chain; any other failure is a step of the record.
    if (signal.aborted) throw error;
    return said("failed", failureText(error));
  }
}

function resolvedKeep(keep: Keep, budget: Budget): StrategyInput["keep"] {
  return "messages" in keep ? keep : { tokens: resolveAmount(keep, budget) };
}
