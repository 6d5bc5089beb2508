import type { ModelPrices, PriceTier } from "@plimsoll/core/extend";

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
    prices: { tiers: [tier(0, { input: 3, output: 15, read: 0.3, write: 3.75, hour: 6 })] },
  },
  {
    // The list price, as two sellers repeat it: no page of the vendor's with it was found. For claude-mythos-5-2 none was found at all.
    modelId: "claude-fable-5-2",
    checkedOn: "2026-11-26",
    source:
      "at second hand: the vendor's list price as of 2026-11-10, by docs.laozhang.ai and github.com/archid21/rightsize 0.10.2",
    prices: { tiers: [tier(0, { input: 8, output: 40, read: 0.2, write: 10, hour: 16 })] },
  },
  {
    modelId: "claude-mythos-5-1",
    checkedOn: "2026-11-26",
    source: "platform.claude.com/docs/en/about-claude/pricing",
    prices: { tiers: [tier(0, { input: 10, output: 50, read: 0.25, write: 12.5, hour: 20 })] },
  },
  {
    modelId: "claude-haiku-5-5",
    checkedOn: "2026-11-23",
    source: "platform.claude.com/docs/en/models/haiku-5-5/overview",
    prices: {
      tiers: [
        tier(0, { input: 0.1, output: 0.5, read: 0.01, write: 0.125, hour: 0.2 }),
        tier(100_000, { input: 0.5, output: 2.5, read: 0.05, write: 0.625, hour: 1 }),
      ],
    },
  },
  {
    // A write that lives longer than half an hour lives twelve.
    modelId: "gpt-6.2-sol",
    checkedOn: "2026-11-23",
    source: "developers.openai.com/api/docs/models/gpt-6.2-sol",
    prices: {
      tiers: [
        tier(0, { input: 2, output: 10, read: 0.1, write: 2.5, hour: 5 }),
        tier(272_000, { input: 4, output: 15, read: 0.2, write: 5, hour: 10 }),
      ],
    },
  },
];

/** Dollars per million tokens. */
interface TierUsd {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write: number;
  readonly hour: number;
}

function tier(abovePromptTokens: number, { input, output, read, write, hour }: TierUsd): PriceTier {
  return {
    abovePromptTokens,
    inputUsdPerMillion: input,
    outputUsdPerMillion: output,
    cacheReadUsdPerMillion: read,
    cacheWriteUsdPerMillion: write,
    cacheWriteOneHourUsdPerMillion: hour,
  };
}
