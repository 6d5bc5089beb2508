import type { CostMetrics } from "./cost-recorder.ts";
import type { PooledSessions } from "./metric.ts";
import { summed } from "./pooling.ts";
import type { Relative } from "./relative.ts";

/** How requests were served, whatever their price. */
export type Requests = Pick<
  CostMetrics,
  "cacheReadTokens" | "cacheWriteTokens" | "uncachedTokens" | "cacheBreaks" | "cacheExpiries" | "summaryRequests"
>;

/** What one policy cost over several sessions. Token counts are of all sessions, dollars of those whose models have a price. */
export interface CostSummary extends Requests {
  readonly pricedSessions: number;
  readonly withCache: DollarSummary;
  readonly withoutCache: DollarSummary;
  /** With a prompt cache that never expires. */
  readonly lastingCache: DollarSummary;
}

/** Dollars with or without a prompt cache; `null` if no session has a price. */
export interface DollarSummary {
  readonly usd: number | null;
  readonly per100CallsUsd: number | null;
  readonly relative: Relative | null;
}

const NO_REQUESTS: Requests = {
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  uncachedTokens: 0,
  cacheBreaks: 0,
  cacheExpiries: 0,
  summaryRequests: 0,
};

/** Adds the costs of sessions up, and compares their dollars with the baseline's. */
export function summarizeCost(sessions: PooledSessions<CostMetrics>): CostSummary {
  return {
    ...summed(NO_REQUESTS, sessions.results),
    pricedSessions: sessions.results.filter(({ withCacheUsd }) => withCacheUsd !== null).length,
    withCache: dollars(sessions, ({ withCacheUsd }) => withCacheUsd),
    lastingCache: dollars(sessions, ({ lastingCacheUsd }) => lastingCacheUsd),
    withoutCache: dollars(sessions, ({ withoutCacheUsd }) => withoutCacheUsd),
  };
}

function dollars(
  { results, calls, relativeToBaseline }: PooledSessions<CostMetrics>,
  usdOf: (cost: CostMetrics) => number | null,
): DollarSummary {
  const relative = relativeToBaseline(usdOf);
  const known = results.flatMap((cost, place) => {
    const usd = usdOf(cost);
    return usd === null ? [] : [{ usd, calls: calls[place] ?? 0 }];
  });
  if (known.length === 0) return { usd: null, per100CallsUsd: null, relative };
  const total = summed({ usd: 0, calls: 0 }, known);
  return { usd: total.usd, per100CallsUsd: total.calls === 0 ? null : (100 * total.usd) / total.calls, relative };
}
