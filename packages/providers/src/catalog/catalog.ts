import type { CacheRules, ModelPrices } from "@plimsoll/core/internal";
import { cacheRulesOf } from "./cache-rules.ts";
import { contextWindowOf, pricesOf } from "./model-prices.ts";

/** What is known of models by id. Every answer is data; a run may put its own prices before it. */
export interface ModelCatalog {
  pricesOf(modelId: string): ModelPrices | null;
  cacheRulesOf(modelId: string): CacheRules;
  contextWindowOf(modelId: string): number | null;
}

/** The catalog that comes with this version. */
export const MODEL_CATALOG: ModelCatalog = { pricesOf, cacheRulesOf, contextWindowOf };
