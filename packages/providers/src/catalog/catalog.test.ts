import { minimumCachedTokens } from "@plimsoll/simulator/extend";
import { describe, expect, test } from "vitest";
import { MODEL_CATALOG } from "./model-prices.ts";
import { resolveModel } from "./resolve-model.ts";

describe("MODEL_CATALOG", () => {
  test.each([
    ["claude-sonnet-4-20250514", 3, 15, 0.3, 3.75, 6],
    ["claude-opus-4-5", 5, 25, 0.5, 6.25, 10],
    ["gpt-5-mini-2025-08-07", 0.25, 2, 0.025, 0.25, 0.25],
  ])("prices of %s; if a vendor charges no write, a write costs what input costs", (modelId, ...prices) => {
    const [tier] = MODEL_CATALOG.pricesOf(modelId)?.tiers ?? [];
    const written = [tier?.cacheWriteUsdPerMillion, tier?.cacheWriteOneHourUsdPerMillion];
    expect([tier?.inputUsdPerMillion, tier?.outputUsdPerMillion, tier?.cacheReadUsdPerMillion, ...written]).toEqual(prices);
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

  test.each([
    ["gpt-5.5", 60, 1],
    ["gpt-5.6-sol", 30, 1.25],
    ["gpt-6-sol", 30, 1.25],
    ["gpt-6.2-sol", 30, 1.25],
    ["claude-opus-5-5", 5, 1.25],
  ])("%s keeps a prompt for %i minutes, and a write costs %d times what input does", (modelId, minutes, ratio) => {
    expect(MODEL_CATALOG.cacheRulesOf(modelId).timeToLiveMs).toBe(minutes * 60_000);
    const tier = MODEL_CATALOG.pricesOf(modelId)?.tiers[0];
    expect((tier?.cacheWriteUsdPerMillion ?? 0) / (tier?.inputUsdPerMillion ?? 0)).toBeCloseTo(ratio, 12);
  });

  test.each([
    ["claude-haiku-4-5", 5],
    ["gemini-3-flash-preview", 10],
    ["meta-llama/llama-4-maverick", 10],
  ])("%s keeps a prompt for %i minutes from its last use", (modelId, minutes) => {
    expect(MODEL_CATALOG.cacheRulesOf(modelId).timeToLiveMs).toBe(minutes * 60_000);
  });

  test.each(["claude-opus-5", "claude-sonnet-5-5", "claude-haiku-5-5"])(
    "%s: a write that is kept for an hour costs twice what input does",
    (modelId) => {
      const tier = MODEL_CATALOG.pricesOf(modelId)?.tiers[0];
      expect((tier?.cacheWriteOneHourUsdPerMillion ?? 0) / (tier?.inputUsdPerMillion ?? 0)).toBeCloseTo(2, 12);
    },
  );

  test("a model that nobody knows has no price and no window, but cache rules", () => {
    expect(MODEL_CATALOG.pricesOf("no-such-model-anywhere")).toBeNull();
    expect(MODEL_CATALOG.contextWindowOf("no-such-model-anywhere")).toBeNull();
    expect(MODEL_CATALOG.cacheRulesOf("no-such-model-anywhere").minimumTokens).toBe(1024);
  });

  test.each([
    ["claude-opus-4-5-20251101", 4096, 1],
    ["claude-sonnet-4-5", 1024, 1],
    ["claude-3-5-haiku-20241022", 2048, 1],
    ["claude-opus-5-5", 512, 1],
    ["claude-opus-5", 512, 1],
    ["anthropic/claude-fable-5.1", 512, 1],
    ["claude-haiku-5-5", 512, 1],
    ["claude-sonnet-5-5", 1024, 1],
    ["anthropic/claude-opus-4.7", 4096, 1],
    ["claude-opus-4-6", 4096, 1],
    ["claude-opus-4.8", 1024, 1],
    ["claude-sonnet-4.6", 1024, 1],
    ["claude-haiku-4-5-20251001", 4096, 1],
    ["claude-mythos-5", 512, 1],
    ["gemini-3-flash-preview", 1024, 1],
    ["meta-llama/llama-4-maverick", 1024, 128],
    ["gpt-5.4", 1024, 128],
    ["gpt-5.5", 1024, 512],
    ["gpt-5.6-sol", 1024, 1024],
    ["gpt-6.2-sol", 1024, 1024],
  ])("%s caches from %i tokens in steps of %i", (modelId, minimumTokens, stepTokens) => {
    expect(MODEL_CATALOG.cacheRulesOf(modelId)).toMatchObject({ minimumTokens, stepTokens });
  });
});

/** Every model id of the recorded sessions, as their logs write it, and the vendors' present offer. */
const USED_MODELS = [
  "claude-3-opus-20240229",
  "claude-3-5-sonnet-20241022",
  "claude-haiku-4-5-20251001",
  "claude-sonnet-4-20250514",
  "claude-sonnet-4-5",
  "claude-sonnet-4-5-20250929",
  "claude-sonnet-4.6",
  "claude-opus-4-5",
  "claude-opus-4-5-20251101",
  "claude-opus-4-6",
  "claude-opus-4-7",
  "claude-opus-4-8",
  "claude-opus-4.8",
  "claude-fable-5",
  "gemini-3-flash-preview",
  "gpt-5-2025-08-07",
  "gpt-5-mini-2025-08-07",
  "gpt-5.1-codex",
  "gpt-5.4",
  "gpt-5.5",
  "openai/gpt-5",
  "openai/gpt-5-mini",
  "meta-llama/llama-4-maverick",
  "openai/openrouter-llama-4-maverick",
];
const OFFERED_MODELS = [
  ..."opus sonnet haiku claude-fable-5-1 claude-opus-5 claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5".split(" "),
  ..."gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-6-astra gpt-6-sol gpt-6-luna gpt-6.2-sol".split(" "),
  ..."gemini-3.1-pro-preview gemini-3.8-flash deepseek-v4-pro kimi-k3 glm-5.2 grok-4.5".split(" "),
];

test.each([...USED_MODELS, ...OFFERED_MODELS])("%s has prices and a window", async (reference) => {
  const { prices, priceSource, contextWindow } = await resolveModel({ reference, unknownWindow: "off" });
  const [tier] = prices?.tiers ?? [];
  expect(tier?.inputUsdPerMillion).toBeGreaterThan(0);
  expect(tier?.outputUsdPerMillion).toBeGreaterThan(tier?.inputUsdPerMillion ?? 0);
  expect(priceSource).toMatch(/20\d\d-\d\d-\d\d/);
  expect(contextWindow).toMatchObject({ source: "catalogue", note: expect.stringMatching(/20\d\d-\d\d-\d\d/) });
  expect(contextWindow.tokens).toBeGreaterThanOrEqual(200_000);
});

test.each([
  ...["claude-opus-4-5-20251101", "claude-haiku-4-5", "claude-3-5-haiku-20241022", "claude-sonnet-4-5"],
  ...["claude-opus-4-8", "claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-5-5"],
])("%s: the simulator, written apart, knows the same shortest cached prompt", (modelId) => {
  expect(minimumCachedTokens(modelId)).toBe(MODEL_CATALOG.cacheRulesOf(modelId).minimumTokens);
});
