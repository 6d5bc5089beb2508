import type { SessionEntry, Usage } from "@plimsoll/core";
import { isRecord, isRejectedUsage, type ModelPrices, tierFor } from "@plimsoll/core/extend";
import { anthropicUsage } from "../anthropic/decode.ts";
import { recordsAt, stringAt } from "../fields.ts";

/** The cost of a session's requests so far. `usdIs` is `a-part` if some of them could not be priced. */
export interface Spending {
  /** Usage of the newest request that was answered and reported its size; `null` before the first. */
  readonly usage: Usage | null;
  /** US dollars by list prices; `null` if nothing could be priced. */
  readonly usd: number | null;
  readonly usdIs: "whole" | "a-part";
  /** US dollars that the reports state by themselves; `null` if none states more than zero, as agents on a subscription do. */
  readonly statedUsd: number | null;
}

/** Prices of a model by its id in the log, on the day of a time in milliseconds since 1970; `null` if nobody knows them. */
export type PricesOf = (modelId: string, atMs: number | null) => ModelPrices | null;

/** Adds up the cost of a log, which it is given entry by entry. */
export interface SpendingCount {
  add(entry: SessionEntry): void;
  /** Counts a summary that was paid for and is in no entry. */
  addUnused(usage: Usage): void;
  now(): Spending;
}

/**
 * Counts what a log's requests cost, each by the prices that the model that answered had on its day. `summaryModelId` is the model that
 * the policy has summaries written by; the session's own if it is `null`.
 */
export function createSpending(pricesOf: PricesOf, summaryModelId: string | null = null): SpendingCount {
  let spending: Spending = { usage: null, usd: null, usdIs: "whole", statedUsd: null };
  let last: { readonly modelId: string; readonly atMs: number | null } | null = null;
  const known = rememberedPrices(pricesOf);
  const spend = (spent: Usage, modelId: string | null, atMs: number | null) => {
    const prices = modelId === null ? null : known(modelId, atMs);
    const dollars = prices === null ? null : usageUsd(spent, prices);
    const stated = statedUsd(spent);
    if (stated > 0) spending = { ...spending, statedUsd: (spending.statedUsd ?? 0) + stated };
    if (dollars === null) spending = { ...spending, usdIs: "a-part" };
    else spending = { ...spending, usd: (spending.usd ?? 0) + dollars.promptUsd + dollars.replyUsd };
  };
  return {
    add: (entry) => {
      if (entry.type === "usage" && !isRejectedUsage(entry.usage)) {
        if (entry.usage.input.totalTokens !== null) spending = { ...spending, usage: entry.usage };
        last = entry;
        spend(entry.usage, entry.modelId, entry.atMs);
      }
      if (entry.type !== "compaction") return;
      for (const edit of entry.edits) {
        if (edit.kind === "replace-spans" && edit.usage !== null)
          spend(edit.usage, summaryModelId ?? entry.record.modelId, entry.atMs);
      }
    },
    addUnused: (usage) => spend(usage, summaryModelId ?? last?.modelId ?? null, last?.atMs ?? null),
    now: () => spending,
  };
}

/** Looks prices up once a model and half hour, in which no list changes: a look through the tables takes up to a millisecond. */
function rememberedPrices(pricesOf: PricesOf): PricesOf {
  const known = new Map<string, ModelPrices | null>();
  return (modelId, atMs) => {
    const key = `${atMs === null ? "" : Math.floor(atMs / HALF_HOUR_MS)} ${modelId}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = pricesOf(modelId, atMs);
    known.set(key, found);
    return found;
  };
}

const HALF_HOUR_MS = 1_800_000;

/** US dollars of one request. */
export interface UsageUsd {
  readonly promptUsd: number;
  readonly replyUsd: number;
}

/**
 * Computes the US dollars of one usage report by list prices: reads, writes for five minutes and for an hour, the rest of the prompt and the reply, in the tier of the
 * prompt's size; every sampling of a request that sampled several times; half of it in a batch. `null` if no prompt is reported.
 */
export function usageUsd(usage: Usage, prices: ModelPrices): UsageUsd | null {
  const samplings = recordsAt(usage.raw, "iterations");
  const parts = samplings.length > 1 ? samplings.map(anthropicUsage) : [usage];
  const dollars = parts.flatMap((part) => samplingUsd(part, prices) ?? []);
  if (dollars.length < parts.length) return null;
  const share = HALF_PRICE_TIERS.has(stringAt(usage.raw, "service_tier") ?? "") ? 0.5 : 1;
  const sum = (one: keyof UsageUsd) => share * dollars.reduce((total, each) => total + each[one], 0);
  return { promptUsd: sum("promptUsd"), replyUsd: sum("replyUsd") };
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
  // What tools of the server brought in is paid for, and stands in no part of the prompt.
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

/** The price that one report states, as a number or as the total of an object; 0 if it states none. */
function statedUsd({ raw }: Usage): number {
  const stated = isRecord(raw) ? (raw.cost ?? raw.costUSD ?? raw.cost_usd) : null;
  const usd = isRecord(stated) ? stated.total : stated;
  return typeof usd === "number" && Number.isFinite(usd) ? Math.max(0, usd) : 0;
}
