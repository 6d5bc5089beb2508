import type { ModelCatalog } from "@plimsoll/providers";
import { type CacheUse, type ModelPrices, outputUsd, promptUsd } from "@plimsoll/providers";
import type { ReplayedCall } from "../drive/replayed-call.ts";
import type { SessionCache } from "../economics/recorded-cache.ts";
import type { ServedStep } from "../economics/request-ledger.ts";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import { summed } from "../statistics.ts";
import type { PooledSessions } from "./metric.ts";

/**
 * The cost of the session under the provider's prices. Requests are charged at the state of their prompt cache, replies as recorded, and each summary
 * as if a model had written it. Calls of a model without a price are left out of the dollars, with their summaries, under every policy alike; dollars
 * are `null` if no call has a price, or if another model without one wrote a summary.
 */
export interface CostMetrics {
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly uncachedTokens: number;
  /** Requests that did not begin with all of the request before, while its cache was alive. */
  readonly cacheBreaks: number;
  readonly cacheExpiries: number;
  readonly replyTokens: number;
  readonly summaryRequests: number;
  readonly summaryPromptTokens: number;
  readonly summaryReplyTokens: number;
  /** Models of calls that have no price, and how many calls those are. */
  readonly unpricedModels: readonly string[];
  readonly unpricedCalls: number;
  /** Requests, replies and summaries, with the provider's prompt cache, and as if there were none. */
  readonly withCacheUsd: number | null;
  readonly withoutCacheUsd: number | null;
}

/** The sources of costs. */
export interface CostInput {
  readonly catalog: ModelCatalog;
  readonly cache: SessionCache;
  readonly sizeJudge: Pick<SizeJudge, "messageTokens">;
}

/** Adds up the cost of the requests; `served` gives each one's cache reads and writes. */
export function createCost(input: CostInput): {
  add(sent: ReplayedCall, served: ServedStep): void;
  result(): CostMetrics;
} {
  const { catalog, cache, sizeJudge } = input;
  const count = {
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    uncachedTokens: 0,
    cacheBreaks: 0,
    cacheExpiries: 0,
    replyTokens: 0,
    summaryRequests: 0,
    summaryPromptTokens: 0,
    summaryReplyTokens: 0,
  };
  let hasPricedCall = false;
  let unpricedCalls = 0;
  const unpricedModels = new Set<string>();
  let withCacheUsd = 0;
  let withoutCacheUsd = 0;
  let hasUnpricedSummary = false;
  const charge = (use: CacheUse, replyTokens: number, { modelId, prices }: { modelId: string; prices: ModelPrices }) => {
    const rules = cache.rulesFor(modelId);
    const promptTokens = totalOf(use);
    const replyUsd = outputUsd(replyTokens, promptTokens, prices);
    withCacheUsd += promptUsd(use, prices, rules) + replyUsd;
    withoutCacheUsd += promptUsd({ readTokens: 0, writeTokens: 0, uncachedTokens: promptTokens }, prices, rules) + replyUsd;
  };
  return {
    add: (sent, served) => {
      const replyTokens = replyTokensOf(sent, sizeJudge);
      count.cacheReadTokens += served.call.readTokens;
      count.cacheWriteTokens += served.call.writeTokens;
      count.uncachedTokens += served.call.uncachedTokens;
      if (served.call.state === "broken") count.cacheBreaks += 1;
      if (served.call.state === "expired") count.cacheExpiries += 1;
      count.replyTokens += replyTokens;
      count.summaryRequests += served.summaries.length;
      count.summaryPromptTokens += served.summaries.reduce((sum, { use }) => sum + totalOf(use), 0);
      count.summaryReplyTokens += served.summaries.reduce((sum, summary) => sum + summary.replyTokens, 0);
      const { modelId, atMs } = sent.recorded;
      const prices = catalog.pricesOf(modelId, atMs);
      if (prices === null) {
        unpricedCalls += 1;
        unpricedModels.add(modelId);
        return;
      }
      hasPricedCall = true;
      charge(served.call, replyTokens, { modelId, prices });
      for (const { use, replyTokens: written, modelId: writerId } of served.summaries) {
        const writer = writerId ?? modelId;
        const writerPrices = catalog.pricesOf(writer, atMs);
        if (writerPrices === null) hasUnpricedSummary = true;
        else charge(use, written, { modelId: writer, prices: writerPrices });
      }
    },
    result: () => {
      const isPriced = hasPricedCall && !hasUnpricedSummary;
      return {
        ...count,
        unpricedModels: [...unpricedModels],
        unpricedCalls,
        withCacheUsd: isPriced ? withCacheUsd : null,
        withoutCacheUsd: isPriced ? withoutCacheUsd : null,
      };
    },
  };
}

function totalOf(use: CacheUse): number {
  return use.readTokens + use.writeTokens + use.uncachedTokens;
}

/**
 * Tokens of the recorded reply: as reported, or its size in later prompts if that is larger. Some agents report the count at the
 * start of a stream, up to 64 times too low.
 */
function replyTokensOf({ recorded, reply, call }: ReplayedCall, sizeJudge: CostInput["sizeJudge"]): number {
  const reported = recorded.usage.output.totalTokens ?? 0;
  return reply === null ? reported : Math.max(reported, sizeJudge.messageTokens(reply, call));
}

/** How requests were served, without their prices. */
export type Requests = Pick<
  CostMetrics,
  "cacheReadTokens" | "cacheWriteTokens" | "uncachedTokens" | "cacheBreaks" | "cacheExpiries" | "summaryRequests"
>;

/** The cost of one policy over several sessions. Token counts are of all sessions, dollars of the calls whose models have a price. */
export interface CostSummary extends Requests {
  readonly pricedSessions: number;
  readonly withCache: DollarSummary;
  readonly withoutCache: DollarSummary;
}

/** Dollars with or without a prompt cache; `null` if no session has a price. */
interface DollarSummary {
  readonly usd: number | null;
  readonly per100CallsUsd: number | null;
}

const NO_REQUESTS: Requests = {
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  uncachedTokens: 0,
  cacheBreaks: 0,
  cacheExpiries: 0,
  summaryRequests: 0,
};

/** Adds the costs of sessions up. */
export function summarizeCost(sessions: PooledSessions<CostMetrics>): CostSummary {
  return {
    ...summed(NO_REQUESTS, sessions.results),
    pricedSessions: sessions.results.filter(({ withCacheUsd }) => withCacheUsd !== null).length,
    withCache: dollars(sessions, ({ withCacheUsd }) => withCacheUsd),
    withoutCache: dollars(sessions, ({ withoutCacheUsd }) => withoutCacheUsd),
  };
}

function dollars({ results, calls }: PooledSessions<CostMetrics>, usdOf: (cost: CostMetrics) => number | null): DollarSummary {
  const known = results.flatMap((cost, place) => {
    const usd = usdOf(cost);
    return usd === null ? [] : [{ usd, calls: (calls[place] ?? 0) - cost.unpricedCalls }];
  });
  if (known.length === 0) return { usd: null, per100CallsUsd: null };
  const total = summed({ usd: 0, calls: 0 }, known);
  return { usd: total.usd, per100CallsUsd: total.calls === 0 ? null : (100 * total.usd) / total.calls };
}
