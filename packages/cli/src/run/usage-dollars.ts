import type { Usage } from "@plimsoll/core";
import type { ModelPrices } from "@plimsoll/core/internal";
import { outputUsd, promptUsd } from "@plimsoll/core/internal";

/** Dollars of one request as its usage says; `null` where prices or sizes are not known. */
export function usageDollars(usage: Usage, prices: ModelPrices | null): number | null {
  const { totalTokens, uncachedTokens, cacheReadTokens, cacheWriteTokens } = usage.input;
  if (prices === null || totalTokens === null) return null;
  const use = {
    readTokens: cacheReadTokens ?? 0,
    writeTokens: cacheWriteTokens ?? 0,
    uncachedTokens: uncachedTokens ?? totalTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0),
    state: "warm",
  } as const;
  return promptUsd(use, prices, FIVE_MINUTE_RULES) + outputUsd(usage.output.totalTokens ?? 0, totalTokens, prices);
}

/** Only the time to live counts for the price of a write: the clients write for five minutes. */
const FIVE_MINUTE_RULES = { minimumTokens: 0, stepTokens: 1, timeToLiveMs: 300_000 } as const;
