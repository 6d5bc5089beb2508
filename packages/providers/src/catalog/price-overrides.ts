import type { ModelPrices } from "@plimsoll/core/internal";

/** A price that the package does not have, or has wrong: with the day on which it was looked up, and where. */
export interface PriceOverride {
  readonly modelId: string;
  readonly checkedOn: string;
  readonly source: string;
  readonly prices: ModelPrices;
}

/** Our own prices; they come before those of the price package. The one place for them. */
export const PRICE_OVERRIDES: readonly PriceOverride[] = [
  {
    modelId: "synthetic/o200k",
    checkedOn: "2026-11-21",
    source: "stand-in: no model wrote the bundled sessions; the list price of claude-sonnet-4-5 up to 200,000 tokens",
    prices: {
      tiers: [
        {
          abovePromptTokens: 0,
          inputUsdPerMillion: 3,
          outputUsdPerMillion: 15,
          cacheReadUsdPerMillion: 0.3,
          cacheWriteUsdPerMillion: 3.75,
          cacheWriteOneHourUsdPerMillion: 6,
        },
      ],
    },
  },
];
