import type { SessionEntry, Usage } from "@plimsoll/core";
import type { ModelPrices } from "@plimsoll/core/internal";
import { isRejectedUsage } from "@plimsoll/core/internal";
import { usageDollars } from "./usage-dollars.ts";

/** What a session's requests cost so far, and the newest one's usage. */
export interface Spending {
  /** Of the newest request that was answered and reported its size; `null` before the first. */
  readonly usage: Usage | null;
  /** `null` where nothing could be priced. */
  readonly usd: number | null;
  readonly usdIs: "whole" | "a-part";
}

/** Prices of a model by its id in the log; `null` where nobody knows them. */
export type PricesOf = (modelId: string) => ModelPrices | null;

/** The spending of a log, entry by entry. */
export interface SpendingCount {
  add(entry: SessionEntry): void;
  now(): Spending;
}

/**
 * Counts what a log's requests cost, each by the prices of the model that answered. `summaryModelId` is the model that the policy has
 * summaries written by; the session's own if it is `null`.
 */
export function createSpending(pricesOf: PricesOf, summaryModelId: string | null = null): SpendingCount {
  let spending: Spending = { usage: null, usd: null, usdIs: "whole" };
  const spend = (spent: Usage, modelId: string | null) => {
    const dollars = modelId === null ? null : usageDollars(spent, pricesOf(modelId));
    if (dollars === null) spending = { ...spending, usdIs: "a-part" };
    else spending = { ...spending, usd: (spending.usd ?? 0) + dollars };
  };
  return {
    add: (entry) => {
      if (entry.type === "usage" && !isRejectedUsage(entry.usage)) {
        if (entry.usage.input.totalTokens !== null) spending = { ...spending, usage: entry.usage };
        spend(entry.usage, entry.modelId);
      }
      if (entry.type !== "compaction") return;
      for (const edit of entry.edits) {
        if (edit.kind === "replace-spans" && edit.usage !== null) spend(edit.usage, summaryModelId ?? entry.record.modelId);
      }
    },
    now: () => spending,
  };
}
