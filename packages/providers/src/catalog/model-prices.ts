import type { CacheRules, ModelPrices, PriceTier } from "@plimsoll/core/extend";
import { calcPrice, type ModelPrice } from "@pydantic/genai-prices";
import { modelFamily, priceHostOf, withoutVariant } from "./model-limits.ts";

/**
 * The day whose prices are used where a log tells no time, so that two runs of one version give the same dollars whatever the calendar
 * says: the day of the newest release of the price tables that this version was made with.
 */
export const PRICES_AS_OF = "2026-09-23";

/**
 * The model's prices, from our own dated table if it names the model, else from the price package, as they were at a time in milliseconds
 * since 1970 (`null`: on {@link PRICES_AS_OF}); `null` if nobody knows. A model that is served by another than its maker has that
 * host's prices, if the package knows them.
 */
export function pricesOf(modelId: string, atMs: number | null = null, host: string | null = null): ModelPrices | null {
  return overrideOf(modelId)?.prices ?? packagePrices(modelId, host, atMs);
}

function overrideOf(modelId: string): PriceOverride | null {
  const family = modelFamily(modelId);
  return PRICE_OVERRIDES.find((entry) => modelFamily(entry.modelId) === family) ?? null;
}

/** Where a model's prices are from, in words for a person; `null` if nobody knows them. They are never guessed from a relative's. */
export function priceSourceOf(modelId: string, host: string | null = null): string | null {
  const override = overrideOf(modelId);
  if (override !== null) return `own table, ${override.checkedOn}: ${override.source}`;
  const found = lookUp(modelId, host);
  return found === null ? null : `prices of ${PRICES_AS_OF}, as ${found.provider.id}/${found.model.id}`;
}

/** The model's whole context window in tokens, as a variant's name or the price package states it; `null` if neither does. */
export function contextWindowOf(modelId: string, host: string | null = null): number | null {
  return withoutVariant(modelId).windowTokens ?? lookUp(modelId, host)?.model.context_window ?? null;
}

/** An id that no vendor's rule matches is looked up among those of the largest router, which lists models of every vendor. */
function lookUp(id: string, host: string | null = null, atMs: number | null = null): ReturnType<typeof calcPrice> {
  const { modelId } = withoutVariant(id);
  const usage = { input_tokens: 0, output_tokens: 0 };
  const timestamp = new Date(atMs ?? `${PRICES_AS_OF}T00:00:00Z`);
  const providerId = priceHostOf(host);
  const atHost = providerId === null ? null : calcPrice(usage, modelId, { timestamp, providerId });
  return (
    atHost ?? calcPrice(usage, modelId, { timestamp }) ?? calcPrice(usage, modelId, { timestamp, providerId: "openrouter" })
  );
}

function packagePrices(modelId: string, host: string | null, atMs: number | null): ModelPrices | null {
  const found = lookUp(modelId, host, atMs);
  if (found === null) return null;
  const { model_price: prices } = found;
  const [first, ...rest] = [0, ...tierStarts(prices)].map((start) => tierAbove(start, prices));
  return first === undefined ? null : { tiers: [first, ...rest] };
}

function tierStarts(prices: ModelPrice): readonly number[] {
  const starts = new Set<number>();
  for (const price of Object.values(prices)) {
    if (typeof price === "object") for (const tier of price.tiers) starts.add(tier.start);
  }
  return [...starts].sort((a, b) => a - b);
}

function tierAbove(start: number, prices: ModelPrice): PriceTier {
  const priceOf = (key: string): number | null => {
    const price = prices[key];
    if (price === undefined || typeof price === "number") return price ?? null;
    return price.tiers.findLast((tier) => tier.start <= start)?.price ?? price.base;
  };
  const inputUsdPerMillion = priceOf("input_mtok") ?? 0;
  const cacheWriteUsdPerMillion = priceOf("cache_write_mtok") ?? inputUsdPerMillion;
  return {
    abovePromptTokens: start,
    inputUsdPerMillion,
    outputUsdPerMillion: priceOf("output_mtok") ?? 0,
    cacheReadUsdPerMillion: priceOf("cache_read_mtok") ?? inputUsdPerMillion,
    cacheWriteUsdPerMillion,
    cacheWriteOneHourUsdPerMillion: priceOf("cache_write_1h_mtok") ?? cacheWriteUsdPerMillion,
  };
}

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

const MINUTE_MS = 60_000;

/**
 * Prompt caches by model family, first match first. Sources: the vendors' documentation of prompt caching, read in November 2026:
 * Anthropic: at least 1,024 tokens (512 for Opus 5, Fable 5 and Haiku 5.5, 4,096 for Opus 4.5 to 4.7 and for Haiku 4.5, 2,048 for older
 * Haiku), five minutes from the last use; OpenAI: at least 1,024 tokens, multiples of 128, five to ten minutes from the last use, up to 24 hours
 * for GPT-5.5, half an hour from GPT-5.6 on. GPT-5.5 reads multiples of 512 and GPT-5.6 of 1,024 in all recordings at hand (four and two
 * owners), and nothing after an hour. Google's implicit cache states no time; ten minutes is chosen. What a write costs is with the prices; a
 * caller who asks for an hour puts it in place of the time given here.
 */
const RULES: readonly { readonly families: readonly string[]; readonly rules: CacheRules }[] = [
  {
    families: ["opus-5", "fable-5", "mythos-5", "haiku-5"],
    rules: { minimumTokens: 512, stepTokens: 1, timeToLiveMs: 5 * MINUTE_MS },
  },
  {
    families: ["opus-4-5", "opus-4-6", "opus-4-7", "haiku-4"],
    rules: { minimumTokens: 4096, stepTokens: 1, timeToLiveMs: 5 * MINUTE_MS },
  },
  { families: ["haiku"], rules: { minimumTokens: 2048, stepTokens: 1, timeToLiveMs: 5 * MINUTE_MS } },
  { families: ["claude"], rules: { minimumTokens: 1024, stepTokens: 1, timeToLiveMs: 5 * MINUTE_MS } },
  { families: ["gemini"], rules: { minimumTokens: 1024, stepTokens: 1, timeToLiveMs: 10 * MINUTE_MS } },
  { families: ["gpt-5-5"], rules: { minimumTokens: 1024, stepTokens: 512, timeToLiveMs: 60 * MINUTE_MS } },
  { families: ["gpt-5-6", "gpt-6"], rules: { minimumTokens: 1024, stepTokens: 1024, timeToLiveMs: 30 * MINUTE_MS } },
];

/** Cache rules for every other model: those of OpenAI's automatic cache, which most compatible servers follow. */
const OTHER_RULES: CacheRules = { minimumTokens: 1024, stepTokens: 128, timeToLiveMs: 10 * MINUTE_MS };

/** How the model's prompt cache works if the caller asks for nothing special. */
export function cacheRulesOf(modelId: string): CacheRules {
  const named = modelFamily(modelId);
  return RULES.find(({ families }) => families.some((family) => named.includes(family)))?.rules ?? OTHER_RULES;
}

/** Answers questions about models by id: US dollars a million tokens, cache rules, and windows in tokens, `null` for an unknown one. */
export interface ModelCatalog {
  /** Returns the prices at a time in milliseconds since 1970; without a time, those of the day `PRICES_AS_OF`. `null` if they are not known. */
  pricesOf(modelId: string, atMs?: number | null): ModelPrices | null;
  cacheRulesOf(modelId: string): CacheRules;
  contextWindowOf(modelId: string): number | null;
}

/** The prices, cache rules and context windows of models that this version knows. */
export const MODEL_CATALOG: ModelCatalog = {
  pricesOf: (modelId, atMs) => pricesOf(modelId, atMs),
  cacheRulesOf,
  contextWindowOf,
};
