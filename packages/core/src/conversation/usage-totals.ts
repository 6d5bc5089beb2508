import type { SessionEntry } from "../entry.ts";
import type { Usage } from "../usage.ts";
import { isRejectedUsage } from "../usage.ts";

/** What a session used so far, as its providers reported it; summaries that a model wrote are in it. What was not reported is not counted,
 * nor is a request that was rejected. */
export interface UsageTotals {
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly compactions: number;
}

/** Nothing used. */
export const NO_USAGE: UsageTotals = {
  requests: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  compactions: 0,
};

/** The totals after one more entry of the log. */
export function foldTotals(totals: UsageTotals, entry: SessionEntry): UsageTotals {
  if (entry.type === "usage") return isRejectedUsage(entry.usage) ? totals : withUsage(totals, entry.usage);
  if (entry.type !== "compaction") return totals;
  let next = { ...totals, compactions: totals.compactions + 1 };
  for (const edit of entry.edits) {
    if (edit.kind === "replace-spans" && edit.usage !== null) next = withUsage(next, edit.usage);
  }
  return next;
}

function withUsage<Totals extends UsageTotals>(totals: Totals, usage: Usage): Totals {
  return {
    ...totals,
    requests: totals.requests + 1,
    inputTokens: totals.inputTokens + (usage.input.totalTokens ?? 0),
    cacheReadTokens: totals.cacheReadTokens + (usage.input.cacheReadTokens ?? 0),
    cacheWriteTokens: totals.cacheWriteTokens + (usage.input.cacheWriteTokens ?? 0),
    outputTokens: totals.outputTokens + (usage.output.totalTokens ?? 0),
  };
}
