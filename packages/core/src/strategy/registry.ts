import { clearToolResults } from "./clear-tool-results.ts";
import { cutOversized } from "./cut-oversized.ts";
import { dropNotices } from "./drop-notices.ts";
import { dropOldest } from "./drop-oldest.ts";
import type { Strategy, StrategySpec } from "./strategy.ts";
import { summarize } from "./summarize.ts";

/** The strategy that a spec names. */
export function strategyFor(spec: StrategySpec): Strategy {
  switch (spec.kind) {
    case "summarize":
      return summarize(spec);
    case "clear-tool-results":
      return clearToolResults(spec);
    case "drop-oldest":
      return dropOldest(spec);
    case "cut-oversized":
      return cutOversized(spec);
    case "drop-notices":
      return dropNotices();
    default:
      return spec satisfies never;
  }
}

/** True for strategies that never ask a model: they cannot fail for want of one. */
export function needsNoModel(spec: StrategySpec): boolean {
  return spec.kind !== "summarize" || spec.writer === "digest";
}

/** The strategy's name in records and events. */
export function strategyName(spec: StrategySpec): string {
  return spec.kind === "summarize" && spec.writer === "digest" ? "digest" : spec.kind;
}
