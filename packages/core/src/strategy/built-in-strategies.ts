import { atOnce, frozen, type KindSpec, kindNamed } from "../kind.ts";
import { CLEAR_TOOL_RESULTS, type ClearToolResultsSpec } from "./clear-tool-results.ts";
import { CUT_OVERSIZED, type CutOversizedSpec } from "./cut-oversized.ts";
import { DROP_NOTICES, type DropNoticesSpec } from "./drop-notices.ts";
import { DROP_OLDEST, type DropOldestSpec } from "./drop-oldest.ts";
import type { Strategy, StrategyKind } from "./strategy.ts";
import { SUMMARIZE, type SummarizeSpec } from "./summarize.ts";

/** The strategies that come with this package. */
export const BUILT_IN_STRATEGIES: readonly StrategyKind[] = [
  SUMMARIZE,
  CLEAR_TOOL_RESULTS,
  DROP_OLDEST,
  CUT_OVERSIZED,
  DROP_NOTICES,
];

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_STRATEGIES.map(({ kind }) => kind));

/** A strategy as data: the settings of a built-in kind, or of one that `withKinds` added. */
export type StrategySpec =
  | SummarizeSpec
  | ClearToolResultsSpec
  | DropOldestSpec
  | CutOversizedSpec
  | DropNoticesSpec
  | KindSpec;

/**
 * The strategy that a policy names.
 *
 * @throws PlimsollError `bad-policy` for a kind that is not there, or settings that it refuses.
 */
export function strategyOf(spec: KindSpec, kinds: readonly StrategyKind[]): Strategy {
  const strategy = kindNamed(kinds, spec.kind, "strategy").bind(spec);
  if (BUILT_IN.has(spec.kind)) return strategy;
  const of = `the strategy ${JSON.stringify(spec.kind)}`;
  const { name, needsModel } = strategy;
  return { name, needsModel: atOnce(of, needsModel), plan: (input) => atOnce(of, strategy.plan(frozen(input))) };
}
