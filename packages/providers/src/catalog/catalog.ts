import type { CacheRules, ModelPrices } from "@plimsoll/core/extend";
import { modelFamily } from "./model-limits.ts";
import { contextWindowOf, pricesOf } from "./model-prices.ts";

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
