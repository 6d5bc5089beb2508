import type { CacheRules, ModelPrices } from "@plimsoll/core/internal";
import { contextWindowOf, pricesOf } from "./model-prices.ts";

const MINUTE_MS = 60_000;

/**
 * Prompt caches by model family, first match first. Sources: the vendors' documentation of prompt caching, read in November 2026:
 * Anthropic: at least 1,024 tokens (4,096 for Opus 4.5 to 4.7 and for Haiku 4.5, 2,048 for older Haiku), five minutes from the last
 * use; OpenAI: at least 1,024 tokens, multiples of 128, five to ten minutes from the last use.
 * Google's implicit cache states no time; ten minutes is chosen.
 */
const RULES: readonly { readonly families: readonly string[]; readonly rules: CacheRules }[] = [
  {
    families: ["opus-4-5", "opus-4.5", "opus-4-6", "opus-4.6", "opus-4-7", "opus-4.7", "haiku-4"],
    rules: { minimumTokens: 4096, stepTokens: 1, timeToLiveMs: 5 * MINUTE_MS },
  },
  { families: ["haiku"], rules: { minimumTokens: 2048, stepTokens: 1, timeToLiveMs: 5 * MINUTE_MS } },
  { families: ["claude"], rules: { minimumTokens: 1024, stepTokens: 1, timeToLiveMs: 5 * MINUTE_MS } },
  { families: ["gemini"], rules: { minimumTokens: 1024, stepTokens: 1, timeToLiveMs: 10 * MINUTE_MS } },
];

/** What is taken for every other model: the rules of OpenAI's automatic cache, which most compatible servers follow. */
const OTHER_RULES: CacheRules = { minimumTokens: 1024, stepTokens: 128, timeToLiveMs: 10 * MINUTE_MS };

/** How the model's prompt cache works if the caller asks for nothing special. */
export function cacheRulesOf(modelId: string): CacheRules {
  return RULES.find(({ families }) => families.some((family) => modelId.includes(family)))?.rules ?? OTHER_RULES;
}

/** What is known of models by id. Every answer is data; a run may put its own prices before it. */
export interface ModelCatalog {
  pricesOf(modelId: string): ModelPrices | null;
  cacheRulesOf(modelId: string): CacheRules;
  contextWindowOf(modelId: string): number | null;
}

/** The catalog that comes with this version. */
export const MODEL_CATALOG: ModelCatalog = { pricesOf, cacheRulesOf, contextWindowOf };
