/** Prices of a model by the size of the prompt, in ascending order; the first tier begins at 0. */
export interface ModelPrices {
  readonly tiers: readonly [PriceTier, ...PriceTier[]];
  /** Prices of the vendor's fast mode; left out if the model has none, or they are unknown. */
  readonly fast?: readonly [PriceTier, ...PriceTier[]];
}

/** Prices from a prompt size on, in US dollars per million tokens. They hold for the whole request. */
export interface PriceTier {
  /** Prompts above this many tokens are priced by this tier. */
  readonly abovePromptTokens: number;
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  readonly cacheReadUsdPerMillion: number;
  /** Price of a cache write; the input price if a vendor charges none. */
  readonly cacheWriteUsdPerMillion: number;
  /** Price of a cache write that lives for an hour. */
  readonly cacheWriteOneHourUsdPerMillion: number;
}

/** How a provider's prompt cache works. */
export interface CacheRules {
  /** Shorter prompts are never cached. */
  readonly minimumTokens: number;
  /** Cache reads are whole multiples of this many tokens. */
  readonly stepTokens: number;
  /** Milliseconds after its last use at which a cached prefix expires. */
  readonly timeToLiveMs: number;
}

/** One request and the one before it on the same cache. */
export interface CacheRequest {
  readonly promptTokens: number;
  /** `null` for the first request. */
  readonly previous: PreviousRequest | null;
  /** A prefix that others keep warm (a vendor's agents share their system text); 0 for none. */
  readonly warmBaseTokens: number;
}

/** The earlier request, whose beginning the next one can reuse. */
export interface PreviousRequest {
  /** Tokens from the beginning that both requests have in common. */
  readonly sharedTokens: number;
  /** Tokens of the request before that this one no longer begins with; 0 if it only grew. */
  readonly abandonedTokens: number;
  /** Time between the two; `null` if it is not known, which is taken for short. */
  readonly idleMs: number | null;
}

/**
 * How a prompt was served: the three counts add up to its tokens. `state` is `warm` if the whole previous request is reused, `broken` if its prefix changed while cached,
 * `expired` if it was too old.
 */
export interface CacheUse {
  readonly readTokens: number;
  readonly writeTokens: number;
  readonly uncachedTokens: number;
  readonly state: "first" | "warm" | "broken" | "expired";
}

/** Computes a request's use of a provider's cache: the longest shared prefix is read while it lives; the rest is written, or uncached in a prompt below the minimum. */
export function cacheUse(request: CacheRequest, rules: CacheRules): CacheUse {
  const { promptTokens, previous } = request;
  const state = stateOf(previous, rules);
  const sharedTokens = state === "warm" || state === "broken" ? (previous?.sharedTokens ?? 0) : 0;
  const reusableTokens = Math.min(promptTokens, Math.max(sharedTokens, request.warmBaseTokens));
  const stepped = Math.floor(reusableTokens / rules.stepTokens) * rules.stepTokens;
  const readTokens = stepped < rules.minimumTokens ? 0 : stepped;
  const writeTokens = promptTokens < rules.minimumTokens ? 0 : promptTokens - readTokens;
  return { readTokens, writeTokens, uncachedTokens: promptTokens - readTokens - writeTokens, state };
}

function stateOf(previous: PreviousRequest | null, rules: CacheRules): CacheUse["state"] {
  if (previous === null) return "first";
  if (previous.idleMs !== null && previous.idleMs > rules.timeToLiveMs) return "expired";
  return previous.abandonedTokens > 0 ? "broken" : "warm";
}

/** Time to live from which on a write has the one-hour price. */
const ONE_HOUR_MS = 3_600_000;

/** US dollars for a prompt that was partly read from or written to a cache with these rules. */
export function promptUsd(use: Omit<CacheUse, "state">, prices: ModelPrices, rules: CacheRules): number {
  const tier = tierFor(prices, use.readTokens + use.writeTokens + use.uncachedTokens);
  const writeUsd = rules.timeToLiveMs >= ONE_HOUR_MS ? tier.cacheWriteOneHourUsdPerMillion : tier.cacheWriteUsdPerMillion;
  const { cacheReadUsdPerMillion, inputUsdPerMillion } = tier;
  return (
    (use.readTokens * cacheReadUsdPerMillion + use.writeTokens * writeUsd + use.uncachedTokens * inputUsdPerMillion) /
    TOKENS_PER_MILLION
  );
}

/** US dollars for a reply of so many tokens; the prompt's size decides the price. */
export function outputUsd(outputTokens: number, promptTokens: number, prices: ModelPrices): number {
  return (outputTokens * tierFor(prices, promptTokens).outputUsdPerMillion) / TOKENS_PER_MILLION;
}

const TOKENS_PER_MILLION = 1_000_000;

/** The prices that hold for a prompt of this many tokens. */
export function tierFor(prices: ModelPrices, promptTokens: number): PriceTier {
  return prices.tiers.findLast((tier) => promptTokens > tier.abovePromptTokens) ?? prices.tiers[0];
}
