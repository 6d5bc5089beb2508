import type { Budget } from "../budget.ts";
import { resolveAmount } from "../budget.ts";
import type { Edit } from "../edit/edit.ts";
import type { CompactionReason } from "../entry.ts";
import type { Message } from "../message/message.ts";
import type { Keep, Policy } from "../policy/policy.ts";
import { needsNoModel, strategyFor } from "../strategy/registry.ts";
import type { StrategySpec } from "../strategy/strategy.ts";

/** What is planned for: the sizes and the reason that the gate found. */
export interface PlanInput {
  readonly messages: readonly Message[];
  readonly budget: Budget;
  readonly reason: CompactionReason;
  readonly keep: Keep;
  /** Tokens left for messages after overhead and what is pending. */
  readonly roomTokens: number;
  readonly messageTokens: (message: Message) => number;
  /** Index of the first rung of the ladder to try. */
  readonly rung: number;
}

/** One rung's edits; or that the ladder has ended. `skipped` are the rungs before it that had nothing to do. */
export type Plan =
  | {
      readonly kind: "edits";
      readonly rung: number;
      readonly strategy: string;
      readonly edits: readonly Edit[];
      readonly skipped: readonly SkippedRung[];
    }
  | { readonly kind: "exhausted"; readonly skipped: readonly SkippedRung[] };

/** A rung that had nothing to do, and why. */
export interface SkippedRung {
  readonly strategy: string;
  readonly reason: string;
}

/** Tokens planned for a notice or the framing of a summary message; the shortest notice has about 50. */
const NOTICE_TOKENS = 64;

/**
 * The ladder for a reason: the policy's strategies in its own order (without those that need a model in an emergency), then
 * the engine's rungs, which need none and end the ladder.
 */
export function ladderOf(policy: Policy, reason: CompactionReason): readonly StrategySpec[] {
  const own = reason === "emergency" ? policy.strategies.filter(needsNoModel) : policy.strategies;
  return [...own, { kind: "drop-oldest", amount: "until-it-fits" }];
}

/** The edits of the first rung from `input.rung` on that has any. Pure: the same input gives the same plan. */
export function plan(policy: Policy, input: PlanInput): Plan {
  const ladder = ladderOf(policy, input.reason);
  const skipped: SkippedRung[] = [];
  for (const [rung, spec] of ladder.entries()) {
    if (rung < input.rung) continue;
    const answer = strategyFor(spec)({
      messages: input.messages,
      budget: input.budget,
      roomTokens: input.roomTokens,
      keep: resolveKeep(input.keep, input.budget),
      messageTokens: input.messageTokens,
      summaryTokens: NOTICE_TOKENS,
    });
    if (answer.kind === "edits") return { kind: "edits", rung, strategy: spec.kind, edits: answer.edits, skipped };
    skipped.push({ strategy: spec.kind, reason: answer.reason });
  }
  return { kind: "exhausted", skipped };
}

function resolveKeep(keep: Keep, budget: Budget): { readonly messages: number } | { readonly tokens: number } {
  return "messages" in keep ? keep : { tokens: resolveAmount(keep, budget) };
}
