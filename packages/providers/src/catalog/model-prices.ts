import type { SessionEntry, SessionOptions, Usage } from "@plimsoll/core";
import { isRecord, isRejectedUsage, option, summaryUsages } from "@plimsoll/core/extend";
import { calcPrice, type ModelPrice } from "@pydantic/genai-prices";
import { z } from "zod";
import { anthropicUsage } from "../anthropic/decode.ts";
import { type CacheRules, type ModelPrices, type PriceTier, tierFor } from "../economics.ts";
import { recordsAt, remembered, stringAt } from "../fields.ts";
import { fastPrices } from "./fast-mode.ts";
import { isNamed } from "./known-names.ts";
import { familyLimitsOf, HOSTS, modelFamily, withoutVariant } from "./model-limits.ts";

/**
 * The day for prices of a log without times, so that two runs of one version give the same dollars on any date: the day of the newest release of the
 * price tables that this version was made with.
 */
export const PRICES_AS_OF = "2026-09-23";

/**
 * The model's prices, from our own dated table if it names the model, else from the price package, as they were at a time in milliseconds since 1970
 * (`null`: on {@link PRICES_AS_OF}); `null` if unknown. A model that is served by another than its maker has that host's prices, if the package knows
 * them.
 */
export function pricesOf(modelId: string, atMs: number | null = null, host: string | null = null): ModelPrices | null {
  const prices = overrideOf(modelId)?.prices ?? packagePrices(modelId, host, atMs);
  const fast = prices === null ? null : fastPrices(modelId, prices, atMs ?? Date.parse(PRICES_AS_OF));
  return prices === null || fast === null || fast === undefined ? prices : { ...prices, fast };
}

function overrideOf(modelId: string): PriceOverride | null {
  const family = modelFamily(modelId);
  return PRICE_OVERRIDES.find((entry) => modelFamily(entry.modelId) === family) ?? null;
}

/** The source of a model's prices, in words for a person; `null` if they are unknown. They are never guessed from a relative's. */
export function priceSourceOf(modelId: string, host: string | null = null): string | null {
  const override = overrideOf(modelId);
  if (override !== null) return `own table, ${override.checkedOn}: ${override.source}`;
  const found = lookUp(modelId, host);
  return found === null ? null : `prices of ${PRICES_AS_OF}, as ${found.provider.id}/${found.model.id}`;
}

/** The model's whole context window in tokens, as a variant's name, our own table of limits or the price package states it; `null` if none does. */
export function contextWindowOf(modelId: string, host: string | null = null): number | null {
  const { windowTokens } = withoutVariant(modelId);
  if (windowTokens !== null || !isNamed(modelId)) return windowTokens;
  return familyLimitsOf(modelId)?.contextWindowTokens ?? listedNow(modelId, host)?.model.context_window ?? null;
}

const listedNow = remembered(
  (modelId: string, host: string | null) => lookUp(modelId, host),
  (...asked) => JSON.stringify(asked),
);

/** An id that no vendor's rule matches is looked up among those of the largest router, which lists models of every vendor. */
function lookUp(id: string, host: string | null = null, atMs: number | null = null): ReturnType<typeof calcPrice> {
  const { modelId } = withoutVariant(id);
  const usage = { input_tokens: 0, output_tokens: 0 };
  const timestamp = new Date(atMs ?? `${PRICES_AS_OF}T00:00:00Z`);
  const providerId = host === null ? null : (HOSTS.get(host) ?? null);
  const atHost = providerId === null ? null : calcPrice(usage, modelId, { timestamp, providerId });
  return (
    atHost ?? calcPrice(usage, modelId, { timestamp }) ?? calcPrice(usage, modelId, { timestamp, providerId: "openrouter" })
  );
}

/** Prices that hold at any time: a look through the tables takes longer than all else that is done for a call. */
const timeless = new Map<string, ModelPrices>();

function packagePrices(modelId: string, host: string | null, atMs: number | null): ModelPrices | null {
  const key = JSON.stringify([modelId, host]);
  const known = timeless.get(key) ?? null;
  const found = known === null ? lookUp(modelId, host, atMs) : null;
  if (found === null) return known;
  const { model_price: prices } = found;
  const [first, ...rest] = [0, ...tierStarts(prices)].map((start) => tierAbove(start, prices));
  const made = first === undefined ? null : ({ tiers: [first, ...rest] } as const);
  if (made !== null && !Array.isArray(found.model.prices)) timeless.set(key, made);
  return made;
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
 * Prompt caches by model family, first match first. Sources: the vendors' documentation of prompt caching, read in November 2026: Anthropic: at least
 * 1,024 tokens (512 for Opus 5, Fable 5 and Haiku 5.5, 4,096 for Opus 4.5 to 4.7 and for Haiku 4.5, 2,048 for older Haiku), five minutes from the
 * last use; OpenAI: at least 1,024 tokens, multiples of 128, five to ten minutes from the last use, up to 24 hours for GPT-5.5, half an hour from
 * GPT-5.6 on. GPT-5.5 reads multiples of 512 and GPT-5.6 of 1,024 in all recordings at hand (four and two owners), and nothing after an hour.
 * Google's implicit cache states no time; ten minutes is chosen. The price of a write is with the prices; a caller who asks for an hour puts it in
 * place of the time given here.
 */
const RULES: readonly (readonly [families: readonly string[], minimumTokens: number, stepTokens: number, minutes: number])[] = [
  [["opus-5", "fable-5", "mythos-5", "haiku-5"], 512, 1, 5],
  [["opus-4-5", "opus-4-6", "opus-4-7", "haiku-4"], 4096, 1, 5],
  [["haiku"], 2048, 1, 5],
  [["claude"], 1024, 1, 5],
  [["gemini"], 1024, 1, 10],
  [["gpt-5-5"], 1024, 512, 60],
  [["gpt-5-6", "gpt-6"], 1024, 1024, 30],
  // Every other model: OpenAI's automatic cache, which most compatible servers follow.
  [[""], 1024, 128, 10],
];

/** How the model's prompt cache works if the caller asks for nothing special. */
function cacheRulesOf(modelId: string): CacheRules {
  const named = modelFamily(modelId);
  const [, minimumTokens = 0, stepTokens = 1, minutes = 0] =
    RULES.find(([families]) => families.some((family) => named.includes(family))) ?? [];
  return { minimumTokens, stepTokens, timeToLiveMs: minutes * MINUTE_MS };
}

type ModelCosts = NonNullable<SessionOptions["modelCosts"]>;

/** Makes the prices by which a session judges its cuts from a catalog; looks each model up once. */
export function modelCostsFrom(catalog: Pick<ModelCatalog, "pricesOf" | "cacheRulesOf">): ModelCosts {
  option.check("prices of models", option.having("pricesOf", "cacheRulesOf"), catalog);
  const { pricesOf, cacheRulesOf } = catalog;
  const costsOf: ModelCosts = (modelId) => {
    const [tier] = pricesOf(modelId)?.tiers ?? [];
    if (tier === undefined) return null;
    const { cacheReadUsdPerMillion: read, cacheWriteUsdPerMillion: write, cacheWriteOneHourUsdPerMillion: hourWrite } = tier;
    return { read, write, hourWrite, cacheLifeMs: cacheRulesOf(modelId).timeToLiveMs };
  };
  return remembered(costsOf, (modelId) => modelId);
}

/** Answers questions about models by id: US dollars a million tokens, cache rules, and windows in tokens, `null` for an unknown one. */
export interface ModelCatalog {
  /** Returns the prices at a time in milliseconds since 1970; without a time, those of the day `PRICES_AS_OF`. `null` if they are unknown. */
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

/** The prices of this version's catalog. */
export const modelCosts: ModelCosts = modelCostsFrom(MODEL_CATALOG);

/** The cost of a session's requests so far. `usdIs` is `a-part` if some of them could not be priced. */
interface Spending {
  /** Usage of the newest request that was answered and reported its size; `null` before the first. */
  readonly usage: Usage | null;
  /** US dollars by list prices; `null` if nothing could be priced. */
  readonly usd: number | null;
  readonly usdIs: "whole" | "a-part";
  /** US dollars that the reports state by themselves; `null` if none states more than zero, as agents on a subscription do. */
  readonly statedUsd: number | null;
  /** Models whose calls could not be priced, each once: `model`, or `fast mode of model`. */
  readonly unpriced: readonly string[];
}

/** Prices of a model by its id in the log, on the day of a time in milliseconds since 1970; `null` if unknown. */
export type PricesOf = (modelId: string, atMs: number | null) => ModelPrices | null;

/** Adds up the cost of a log, which it is given entry by entry. */
export interface SpendingCount {
  add(entry: SessionEntry): void;
  /** Counts a summary that was paid for and is in no entry. */
  addUnused(usage: Usage): void;
  now(): Spending;
}

const SPENDING_OPTIONS = z.strictObject({ pricesOf: option.fn, summaryModelId: option.text.nullable() });

/**
 * Counts the cost of a log's requests, each by the prices of the answering model on its day. `summaryModelId` is the policy's model for summaries; `null` means the
 * session's own.
 */
export function createSpending(pricesOf: PricesOf, summaryModelId: string | null = null): SpendingCount {
  option.check("a count of spending", SPENDING_OPTIONS, { pricesOf, summaryModelId });
  let spending: Spending = { usage: null, usd: null, usdIs: "whole", statedUsd: null, unpriced: [] };
  let last: { readonly modelId: string; readonly atMs: number | null } | null = null;
  // No list changes within a half hour, and a look through the tables takes up to a millisecond.
  const known = remembered(pricesOf, (modelId, atMs) => `${atMs === null ? "" : Math.floor(atMs / HALF_HOUR_MS)} ${modelId}`);
  const spend = (spent: Usage, modelId: string | null, atMs: number | null) => {
    const prices = modelId === null ? null : known(modelId, atMs);
    const dollars = prices === null ? null : usageUsd(spent, prices);
    const stated = statedUsd(spent);
    if (stated > 0) spending = { ...spending, statedUsd: (spending.statedUsd ?? 0) + stated };
    if (dollars === null) {
      const name =
        spent.input.totalTokens === null || modelId === null ? [] : [isFast(spent) ? `fast mode of ${modelId}` : modelId];
      spending = { ...spending, usdIs: "a-part", unpriced: [...new Set([...spending.unpriced, ...name])] };
    }
    // At least the beginning of a reply was billed whose end is not known.
    if (spent.output.totalTokens === null && (spent.billed.outputTokens ?? 0) > 0) spending = { ...spending, usdIs: "a-part" };
    if (dollars !== null) spending = { ...spending, usd: (spending.usd ?? 0) + dollars.promptUsd + dollars.replyUsd };
  };
  return {
    add: (entry) => {
      if (entry.type === "usage" && !isRejectedUsage(entry.usage)) {
        if (entry.usage.input.totalTokens !== null) spending = { ...spending, usage: entry.usage };
        last = entry;
        spend(entry.usage, entry.modelId, entry.atMs);
      }
      if (entry.type !== "compaction" && entry.type !== "attempt") return;
      const asked = entry.type === "compaction" ? entry.record.modelId : (last?.modelId ?? null);
      for (const usage of summaryUsages(entry)) spend(usage, summaryModelId ?? asked, entry.atMs);
    },
    addUnused: (usage) => spend(usage, summaryModelId ?? last?.modelId ?? null, last?.atMs ?? null),
    now: () => spending,
  };
}

const HALF_HOUR_MS = 1_800_000;

/** US dollars of one request. */
interface UsageUsd {
  readonly promptUsd: number;
  readonly replyUsd: number;
}

/**
 * Computes the US dollars of one usage report by list prices: reads, writes for five minutes and for an hour, the rest of the prompt and the reply, in the tier of the
 * prompt's size; every sampling of a request that sampled several times; half of it in a batch; by the prices of the vendor's fast mode if the answer was served so. `null` if no prompt is reported, or fast mode has no price that is known.
 */
export function usageUsd(usage: Usage, { tiers, fast }: ModelPrices): UsageUsd | null {
  const served = isFast(usage) ? fast : tiers;
  if (served === undefined) return null;
  const samplings = recordsAt(usage.raw, "iterations");
  const parts = samplings.length > 1 ? samplings.map(anthropicUsage) : [usage];
  const dollars = parts.flatMap((part) => samplingUsd(part, { tiers: served }) ?? []);
  if (dollars.length < parts.length) return null;
  const share = HALF_PRICE_TIERS.has(stringAt(usage.raw, "service_tier") ?? "") ? 0.5 : 1;
  const sum = (one: keyof UsageUsd) => share * dollars.reduce((total, each) => total + each[one], 0);
  return { promptUsd: sum("promptUsd"), replyUsd: sum("replyUsd") };
}

/** Anthropic's usage says which mode was served, whichever was asked for: code.claude.com/docs/en/fast-mode. */
function isFast({ raw }: Usage): boolean {
  return stringAt(raw, "speed") === "fast";
}

/** Both vendors charge half of every price in a batch: platform.claude.com batch processing; OpenAI's flex tier has its batch prices. */
const HALF_PRICE_TIERS: ReadonlySet<string> = new Set(["batch", "flex"]);

const TOKENS_PER_MILLION = 1_000_000;

function samplingUsd({ input, output, billed }: Usage, prices: ModelPrices): UsageUsd | null {
  const { totalTokens, cacheReadTokens, cacheWriteTokens, cacheWriteOneHourTokens } = input;
  if (totalTokens === null) return null;
  const tier = tierFor(prices, totalTokens);
  const read = cacheReadTokens ?? 0;
  const hour = cacheWriteOneHourTokens ?? 0;
  const written = Math.max(cacheWriteTokens ?? 0, hour);
  // Tokens that tools of the server brought in are paid for, and in no part of the prompt.
  const beyond = Math.max(0, (billed.inputTokens ?? 0) - totalTokens);
  const uncached = (input.uncachedTokens ?? Math.max(0, totalTokens - read - written)) + beyond;
  const promptUsd =
    read * tier.cacheReadUsdPerMillion +
    (written - hour) * tier.cacheWriteUsdPerMillion +
    hour * tier.cacheWriteOneHourUsdPerMillion +
    uncached * tier.inputUsdPerMillion;
  const reply = Math.max(output.totalTokens ?? 0, billed.outputTokens ?? 0);
  return { promptUsd: promptUsd / TOKENS_PER_MILLION, replyUsd: (reply * tier.outputUsdPerMillion) / TOKENS_PER_MILLION };
}

function statedUsd({ raw }: Usage): number {
  const stated = isRecord(raw) ? (raw.cost ?? raw.costUSD ?? raw.cost_usd) : null;
  const usd = isRecord(stated) ? stated.total : stated;
  return typeof usd === "number" && Number.isFinite(usd) ? Math.max(0, usd) : 0;
}
