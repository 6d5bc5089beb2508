import type { Budget } from "../budget.ts";
import { resolveAmount } from "../budget.ts";
import type { Edit } from "../edit/edit.ts";
import type { CompactionReason } from "../entry.ts";
import type { Message } from "../message/message.ts";
import type { Keep, Policy } from "../policy/policy.ts";
import { needsNoModel, strategyFor, strategyName } from "../strategy/registry.ts";
import type { StrategyInput, StrategySpec } from "../strategy/strategy.ts";

/** What is planned for: the sizes and the reason that the gate found. */
export interface PlanInput extends Omit<StrategyInput, "keep"> {
  readonly messages: readonly Message[];
  readonly keep: Keep;
  readonly ladder: readonly Rung[];
  /** Index of the first rung to try. */
  readonly rung: number;
}

/** A step of the ladder: the policy's own strategies first, then the engine's, which need no model and end it. */
export interface Rung {
  readonly spec: StrategySpec;
  readonly isOwn: boolean;
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

/** What the engine appends to every policy: a digest, dropping, cutting what is oversized; at last its
 * own notices go, and what can be cut becomes a stub. */
const ENGINE_RUNGS: readonly StrategySpec[] = [
  { kind: "summarize", writer: "digest", boundary: "any-safe", promptId: "digest", turnPrefixPromptId: null },
  { kind: "drop-oldest", amount: "until-it-fits", notice: "count" },
  { kind: "cut-oversized", to: "fit" },
  { kind: "drop-notices" },
  { kind: "drop-oldest", amount: "until-it-fits", notice: "none" },
  { kind: "cut-oversized", to: "stubs" },
];

/**
 * The ladder for a reason. Without `useModel` (an emergency, a second recovery from an overflow, an open breaker) the policy's
 * strategies that need a model are left out.
 */
export function ladderOf(policy: Policy, reason: CompactionReason, useModel: boolean): readonly Rung[] {
  const withModel = useModel && reason !== "emergency";
  return ladderFrom(policy.strategies.filter((spec) => withModel || needsNoModel(spec)));
}

/**
 * The ladder of the last recovery from an overflow. It needs no model, keeps nothing of what the policy would, and leaves only what cannot
 * be cut: everything before the newest step goes, whatever the size, and what can be cut of that step becomes a stub.
 */
export const FORCED_LADDER: { readonly ladder: readonly Rung[]; readonly keep: Keep } = {
  ladder: ladderFrom([
    { kind: "drop-oldest", amount: "all-but-keep", notice: "count" },
    { kind: "cut-oversized", to: "stubs" },
  ]),
  keep: { messages: 0 },
};

function ladderFrom(own: readonly StrategySpec[]): readonly Rung[] {
  return [...own.map((spec) => ({ spec, isOwn: true })), ...ENGINE_RUNGS.map((spec) => ({ spec, isOwn: false }))];
}

/** The edits of the first rung from `input.rung` on that has any. Pure: the same input gives the same plan. */
export function plan(input: PlanInput): Plan {
  const keep = resolveKeep(input.keep, input.budget);
  const skipped: SkippedRung[] = [];
  for (const [rung, { spec }] of input.ladder.entries()) {
    if (rung < input.rung) continue;
    const answer = strategyFor(spec)({ ...input, keep });
    const strategy = strategyName(spec);
    if (answer.kind === "edits") return { kind: "edits", rung, strategy, edits: answer.edits, skipped };
    skipped.push({ strategy, reason: answer.reason });
  }
  return { kind: "exhausted", skipped };
}

function resolveKeep(keep: Keep, budget: Budget): StrategyInput["keep"] {
  return "messages" in keep ? keep : { tokens: resolveAmount(keep, budget) };
}
