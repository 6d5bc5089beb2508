import type { ModelPrices, PriceTier } from "@plimsoll/core/extend";
import { calcPrice, type ModelPrice } from "@pydantic/genai-prices";
import { modelFamily, priceHostOf, withoutVariant } from "./model-limits.ts";
import { PRICE_OVERRIDES, type PriceOverride } from "./price-overrides.ts";

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
