import { usageOf } from "@plimsoll/core";
import { sequenceOf } from "@plimsoll/core/extend";
import { reply, usageEntry } from "@plimsoll/core/testing";
import { type CacheUse, MODEL_CATALOG, type ModelPrices } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import { NO_SIGNS } from "../economics/recorded-cache.ts";
import type { ServedStep } from "../economics/request-ledger.ts";
import { SUMMARY_REPLY_TOKENS } from "../economics/summary-charge.ts";
import { createCacheValidity } from "./cache-validity.ts";
import { createCost } from "./cost-recorder.ts";

const PRICES: ModelPrices = {
  tiers: [
    {
      abovePromptTokens: 0,
      inputUsdPerMillion: 10,
      outputUsdPerMillion: 50,
      cacheReadUsdPerMillion: 1,
      cacheWriteUsdPerMillion: 12,
      cacheWriteOneHourUsdPerMillion: 20,
    },
  ],
};
const CACHE = { rulesFor: () => RULES, warmBaseTokens: 0, countsWrites: true, recorded: NO_SIGNS };
const RULES = { minimumTokens: 1, stepTokens: 1, timeToLiveMs: 300_000 };

function callOf(input: { readTokens: number; totalTokens: number; outputTokens: number }): ReplayedCall {
  const usage = usageOf({
    totalInputTokens: input.totalTokens,
    cacheReadTokens: input.readTokens,
    cacheWriteTokens: 0,
    outputTokens: input.outputTokens,
  });
  return {
    call: 0,
    recorded: { ...usageEntry("request", null, input.totalTokens), usage },
    reply: reply("reply", "done"),
    context: sequenceOf(),
    promptTokens: input.totalTokens,
    nonMessageTokens: 0,
    chargedTokens: input.totalTokens,
    overflowed: false,
    irreducible: false,
    lost: false,
    violations: [],
    compactions: [],
    failedCompactions: 0,
    summaries: [],
  };
}

const used = (readTokens: number, writeTokens: number, state: CacheUse["state"] = "warm"): CacheUse => {
  return { readTokens, writeTokens, uncachedTokens: 0, state };
};

function costOf(prices: ModelPrices | null, steps: readonly ServedStep[], replySizeTokens = 0) {
  const catalog = { ...MODEL_CATALOG, pricesOf: () => prices };
  const sizeJudge = { messageTokens: () => replySizeTokens };
  const cost = createCost({ catalog, cache: CACHE, sizeJudge });
  for (const served of steps) cost.add(callOf({ readTokens: 0, totalTokens: 100_000, outputTokens: 1000 }), served);
  return cost.result();
}

describe("createCost", () => {
  test("charges reads, writes and replies, with and without a cache", () => {
    const cost = costOf(PRICES, [{ call: used(80_000, 20_000), summaries: [] }]);
    expect(cost.withCacheUsd).toBeCloseTo(0.08 + 0.24 + 0.05, 10);
    expect(cost.withoutCacheUsd).toBeCloseTo(1 + 0.05, 10);
  });

  test("charges a summary with its reply", () => {
    const use = { ...used(0, 0), uncachedTokens: 50_000 };
    const summary = { use, replyTokens: SUMMARY_REPLY_TOKENS, modelId: null };
    const cost = costOf(PRICES, [{ call: used(0, 0), summaries: [summary] }]);
    expect(cost.withCacheUsd).toBeCloseTo(0.05 + 0.5 + (SUMMARY_REPLY_TOKENS * 50) / 1e6, 10);
    expect(cost).toMatchObject({ summaryRequests: 1, summaryPromptTokens: 50_000, summaryReplyTokens: SUMMARY_REPLY_TOKENS });
  });

  test("charges a summary by another model at that model's prices", () => {
    const [tier] = PRICES.tiers;
    const cheap: ModelPrices = { tiers: [{ ...tier, inputUsdPerMillion: 1, outputUsdPerMillion: 5 }] };
    const catalog = { ...MODEL_CATALOG, pricesOf: (modelId: string) => (modelId === "small" ? cheap : PRICES) };
    const cost = createCost({ catalog, cache: CACHE, sizeJudge: { messageTokens: () => 0 } });
    const summary = { use: { ...used(0, 0), uncachedTokens: 50_000 }, replyTokens: 1000, modelId: "small" };
    cost.add(callOf({ readTokens: 0, totalTokens: 100_000, outputTokens: 0 }), { call: used(0, 0), summaries: [summary] });
    expect(cost.result().withCacheUsd).toBeCloseTo(0.05 + 0.005, 10);
  });

  test("counts breaks and expiries", () => {
    const steps = (["first", "warm", "broken", "expired", "broken"] as const).map((state) => ({
      call: used(0, 10, state),
      summaries: [],
    }));
    expect(costOf(PRICES, steps)).toMatchObject({ cacheBreaks: 2, cacheExpiries: 1 });
  });

  test("takes a reply's size in later prompts if the recording reports less", () => {
    expect(costOf(PRICES, [{ call: used(0, 0), summaries: [] }], 4000).replyTokens).toBe(4000);
  });

  test("a call whose model has no price is left out with its summaries, and the model is named", () => {
    const catalog = { ...MODEL_CATALOG, pricesOf: (modelId: string) => (modelId === "unknown" ? null : PRICES) };
    const cost = createCost({ catalog, cache: CACHE, sizeJudge: { messageTokens: () => 0 } });
    const summary = { use: used(0, 10_000), replyTokens: 1000, modelId: null };
    const priced = callOf({ readTokens: 0, totalTokens: 100_000, outputTokens: 1000 });
    cost.add(priced, { call: used(100_000, 0), summaries: [] });
    cost.add(
      { ...priced, recorded: { ...priced.recorded, modelId: "unknown" } },
      { call: used(100_000, 0), summaries: [summary] },
    );
    const result = cost.result();
    expect(result).toMatchObject({ unpricedModels: ["unknown"], unpricedCalls: 1, cacheReadTokens: 200_000 });
    expect(result.withCacheUsd).toBeCloseTo(0.1 + 0.05, 10);
  });

  test("a summary by another model without a price leaves no dollars: the policy would look too cheap", () => {
    const catalog = { ...MODEL_CATALOG, pricesOf: (modelId: string) => (modelId === "small" ? null : PRICES) };
    const cost = createCost({ catalog, cache: CACHE, sizeJudge: { messageTokens: () => 0 } });
    const summary = { use: used(0, 10_000), replyTokens: 1000, modelId: "small" };
    cost.add(callOf({ readTokens: 0, totalTokens: 100_000, outputTokens: 0 }), { call: used(0, 0), summaries: [summary] });
    expect(cost.result()).toMatchObject({ withCacheUsd: null, unpricedCalls: 0 });
  });

  test("without a price there are no dollars, but all counts", () => {
    const cost = costOf(null, [{ call: used(80_000, 20_000), summaries: [] }]);
    expect(cost).toMatchObject({
      withCacheUsd: null,
      withoutCacheUsd: null,
      cacheReadTokens: 80_000,
    });
  });
});

describe("createCacheValidity", () => {
  const validityOf = (pairs: readonly (readonly [reported: number, computed: CacheUse])[]) => {
    const validity = createCacheValidity();
    for (const [readTokens, use] of pairs) validity.add(callOf({ readTokens, totalTokens: 100_000, outputTokens: 0 }), use);
    return validity.result();
  };

  test("a small error has no cause", () => {
    expect(validityOf([[90_000, used(92_000, 8000)]])).toMatchObject({
      reportedReadTokens: 90_000,
      computedReadTokens: 92_000,
      cause: null,
    });
  });

  test.each<[rule: string, reported: number, computed: CacheUse, cause: string]>([
    [
      "cold within its time",
      0,
      used(90_000, 10_000),
      "the cache was cold or cut short within its time without a mark (1 call, 90k tokens)",
    ],
    [
      "alive after its time",
      90_000,
      used(0, 100_000, "expired"),
      "the cache lived longer than the provider states (1 call, 90k tokens)",
    ],
    ["less of an edit read", 10_000, used(50_000, 50_000, "broken"), "less of an edited prefix was read (1 call, 40k tokens)"],
  ])("names what explains most of a large error: %s", (_rule, reported, computed, cause) => {
    expect(
      validityOf([
        [95_000, used(96_000, 4000)],
        [reported, computed],
      ])?.cause,
    ).toBe(cause);
  });

  test("a recording without cache counts says nothing", () => {
    const validity = createCacheValidity();
    const unreported = callOf({ readTokens: 0, totalTokens: 100_000, outputTokens: 0 });
    validity.add({ ...unreported, recorded: usageEntry("request", null, 100_000) }, used(0, 0));
    expect(validity.result()).toBeNull();
  });
});
