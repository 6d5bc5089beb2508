import type { CostMetrics, RowMetrics } from "../results.ts";
import { type Relative, relativeTo } from "./relative.ts";

/** What one policy cost over several sessions. Token counts are of all sessions, dollars of those whose models have a price. */
export interface CostSummary {
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly uncachedTokens: number;
  readonly cacheBreaks: number;
  readonly cacheExpiries: number;
  readonly summaryRequests: number;
  readonly pricedSessions: number;
  readonly withCache: DollarSummary;
  readonly withoutCache: DollarSummary;
  /** With a prompt cache that never expires. */
  readonly lastingCache: DollarSummary;
}

/** Dollars with or without a prompt cache; `null` where no session has a price. */
export interface DollarSummary {
  readonly usd: number | null;
  readonly per100CallsUsd: number | null;
  readonly relative: Relative | null;
}

interface CostRow {
  readonly session: string;
  readonly metrics: RowMetrics;
}

/** Adds the costs of the rows up and compares them with the baseline's; `null` there where the rows are the baseline's own. */
export function summarizeCost(rows: readonly CostRow[], baseline: ReadonlyMap<string, CostRow> | null): CostSummary {
  const sum = (figure: (cost: CostMetrics) => number) => rows.reduce((total, { metrics }) => total + figure(metrics.cost), 0);
  const dollars = (figure: (cost: CostMetrics) => number | null): DollarSummary => ({
    ...priced(rows, figure),
    relative: baseline === null ? null : relativeTo(rows, baseline, ({ cost }) => figure(cost)),
  });
  return {
    cacheReadTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
    cacheWriteTokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
    uncachedTokens: sum(({ uncachedTokens }) => uncachedTokens),
    cacheBreaks: sum(({ cacheBreaks }) => cacheBreaks),
    cacheExpiries: sum(({ cacheExpiries }) => cacheExpiries),
    summaryRequests: sum(({ summaryRequests }) => summaryRequests),
    pricedSessions: rows.filter(({ metrics }) => metrics.cost.withCacheUsd !== null).length,
    withCache: dollars(({ withCacheUsd }) => withCacheUsd),
    lastingCache: dollars(({ lastingCacheUsd }) => lastingCacheUsd),
    withoutCache: dollars(({ withoutCacheUsd }) => withoutCacheUsd),
  };
}

function priced(
  rows: readonly CostRow[],
  figure: (cost: CostMetrics) => number | null,
): { readonly usd: number | null; readonly per100CallsUsd: number | null } {
  const known = rows.flatMap(({ metrics }) => {
    const usd = figure(metrics.cost);
    return usd === null ? [] : [{ usd, calls: metrics.safety.calls }];
  });
  if (known.length === 0) return { usd: null, per100CallsUsd: null };
  const usd = known.reduce((total, entry) => total + entry.usd, 0);
  const calls = known.reduce((total, entry) => total + entry.calls, 0);
  return { usd, per100CallsUsd: calls === 0 ? null : (100 * usd) / calls };
}
