import { dropOldest } from "./drop-oldest.ts";
import type { Strategy, StrategySpec } from "./strategy.ts";
import { summarize } from "./summarize.ts";

/** The strategy that a spec names. */
export function strategyFor(spec: StrategySpec): Strategy {
  switch (spec.kind) {
    case "summarize":
      return summarize(spec);
    case "drop-oldest":
      return dropOldest(spec);
    default:
      return spec satisfies never;
  }
}

/** True for strategies that never ask for a summary: they cannot fail for want of a model. */
export function needsNoModel(spec: StrategySpec): boolean {
  return spec.kind !== "summarize";
}
