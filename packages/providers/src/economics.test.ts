import { describe, expect, test } from "vitest";
import type { CacheRules, CacheUse, ModelPrices, PreviousRequest } from "./economics.ts";
import { cacheUse, outputUsd, promptUsd } from "./economics.ts";

const RULES: CacheRules = { minimumTokens: 1000, stepTokens: 100, timeToLiveMs: 300_000 };
const before = (promptTokens: number, sharedTokens: number, idleMs: number | null = 1000): PreviousRequest => {
  return { sharedTokens, abandonedTokens: promptTokens - sharedTokens, idleMs };
};

describe("cacheUse", () => {
  test.each<
    [rule: string, promptTokens: number, previous: PreviousRequest | null, warmBaseTokens: number, use: readonly unknown[]]
  >([
    ["the first request writes all", 5000, null, 0, [0, 5000, 0, "first"]],
    ["a longer prompt reads what was sent before", 5000, before(4000, 4000), 0, [4000, 1000, 0, "warm"]],
    ["reads come in whole steps", 5000, before(4050, 4050), 0, [4000, 1000, 0, "warm"]],
    ["an edited prefix is read up to the edit", 5000, before(8000, 2000), 0, [2000, 3000, 0, "broken"]],
    ["a shared prefix below the minimum is not read", 5000, before(8000, 900), 0, [0, 5000, 0, "broken"]],
    ["an expired prefix is written again", 5000, before(4000, 4000, 300_001), 0, [0, 5000, 0, "expired"]],
    ["at exactly the time to live it is still there", 5000, before(4000, 4000, 300_000), 0, [4000, 1000, 0, "warm"]],
    ["an unknown time is taken for short", 5000, before(4000, 4000, null), 0, [4000, 1000, 0, "warm"]],
    ["a base that others keep warm survives expiry", 5000, before(4000, 4000, 900_000), 2000, [2000, 3000, 0, "expired"]],
    ["a prompt below the minimum is not cached at all", 999, null, 0, [0, 0, 999, "first"]],
    ["never more is read than is sent", 3000, before(8000, 8000), 0, [3000, 0, 0, "warm"]],
  ])("%s", (_rule, promptTokens, previous, warmBaseTokens, use) => {
    const { readTokens, writeTokens, uncachedTokens, state, ...others } = cacheUse(
      { promptTokens, previous, warmBaseTokens },
      RULES,
    );
    expect([readTokens, writeTokens, uncachedTokens, state]).toEqual(use);
    expect(others).toEqual({});
  });
});

const PRICES: ModelPrices = {
  tiers: [
    {
      abovePromptTokens: 0,
      inputUsdPerMillion: 3,
      outputUsdPerMillion: 15,
      cacheReadUsdPerMillion: 0.3,
      cacheWriteUsdPerMillion: 3.75,
      cacheWriteOneHourUsdPerMillion: 6,
    },
    {
      abovePromptTokens: 200_000,
      inputUsdPerMillion: 6,
      outputUsdPerMillion: 22.5,
      cacheReadUsdPerMillion: 0.6,
      cacheWriteUsdPerMillion: 7.5,
      cacheWriteOneHourUsdPerMillion: 12,
    },
  ],
};
const served = (readTokens: number, writeTokens: number, uncachedTokens = 0): CacheUse => {
  return { readTokens, writeTokens, uncachedTokens, state: "warm" };
};

describe("prices", () => {
  test.each([
    ["reads, writes and the rest have their own price", served(100_000, 20_000, 1000), RULES, 0.03 + 0.075 + 0.003],
    ["a write for an hour has its price", served(0, 100_000), { ...RULES, timeToLiveMs: 3_600_000 }, 0.6],
    ["a long prompt is priced by its tier as a whole", served(200_000, 100_000), RULES, 0.12 + 0.75],
    ["a tier begins above its limit", served(200_000, 0), RULES, 0.06],
  ])("%s", (_rule, use, rules, usd) => {
    expect(promptUsd(use, PRICES, rules)).toBeCloseTo(usd, 10);
  });

  test("without a cache all input has the input price, and the reply follows the prompt's tier", () => {
    expect(promptUsd({ readTokens: 0, writeTokens: 0, uncachedTokens: 100_000 }, PRICES, RULES)).toBeCloseTo(0.3, 10);
    expect(promptUsd({ readTokens: 0, writeTokens: 0, uncachedTokens: 300_000 }, PRICES, RULES)).toBeCloseTo(1.8, 10);
    expect(outputUsd(1000, 100_000, PRICES)).toBeCloseTo(0.015, 10);
    expect(outputUsd(1000, 300_000, PRICES)).toBeCloseTo(0.0225, 10);
  });
});
