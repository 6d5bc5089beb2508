import { describe, expect, test } from "vitest";
import { MODEL_CATALOG } from "./catalog.ts";

describe("MODEL_CATALOG", () => {
  test.each([
    [
      "claude-sonnet-4-20250514",
      {
        inputUsdPerMillion: 3,
        outputUsdPerMillion: 15,
        cacheReadUsdPerMillion: 0.3,
        cacheWriteUsdPerMillion: 3.75,
        cacheWriteOneHourUsdPerMillion: 6,
      },
    ],
    [
      "claude-opus-4-5",
      {
        inputUsdPerMillion: 5,
        outputUsdPerMillion: 25,
        cacheReadUsdPerMillion: 0.5,
        cacheWriteUsdPerMillion: 6.25,
        cacheWriteOneHourUsdPerMillion: 10,
      },
    ],
    [
      "gpt-5-mini-2025-08-07",
      {
        inputUsdPerMillion: 0.25,
        outputUsdPerMillion: 2,
        cacheReadUsdPerMillion: 0.025,
        cacheWriteUsdPerMillion: 0.25,
        cacheWriteOneHourUsdPerMillion: 0.25,
      },
    ],
  ])("prices of %s; if a vendor charges no write, a write costs what input costs", (modelId, prices) => {
    expect(MODEL_CATALOG.pricesOf(modelId)?.tiers[0]).toMatchObject(prices);
  });

  test("long prompts have a tier of their own if the vendor has one", () => {
    const tiers = MODEL_CATALOG.pricesOf("claude-sonnet-4-5-20250929")?.tiers;
    expect(tiers?.map((tier) => [tier.abovePromptTokens, tier.inputUsdPerMillion])).toEqual([
      [0, 3],
      [200_000, 6],
    ]);
  });

  test("a model that only a router lists has the router's price", () => {
    expect(MODEL_CATALOG.pricesOf("meta-llama/llama-4-maverick")?.tiers[0].inputUsdPerMillion).toBe(0.15);
  });

  test("a model that nobody knows has no price and no window, but cache rules", () => {
    expect(MODEL_CATALOG.pricesOf("no-such-model-anywhere")).toBeNull();
    expect(MODEL_CATALOG.contextWindowOf("no-such-model-anywhere")).toBeNull();
    expect(MODEL_CATALOG.cacheRulesOf("no-such-model-anywhere").minimumTokens).toBe(1024);
  });

  test.each([
    ["claude-opus-4-5-20251101", 4096, 1],
    ["claude-sonnet-4-5", 1024, 1],
    ["claude-3-5-haiku-20241022", 2048, 1],
    ["gpt-5.5", 1024, 128],
  ])("%s caches from %i tokens in steps of %i", (modelId, minimumTokens, stepTokens) => {
    expect(MODEL_CATALOG.cacheRulesOf(modelId)).toMatchObject({ minimumTokens, stepTokens });
  });
});
