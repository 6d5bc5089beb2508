import type { CostSummary, DollarSummary } from "./cost-summary.ts";
import { formatCount, formatRatioPercent, formatTokens, formatUsd } from "./figures.ts";
import type { FigureColumn } from "./html-figure-table.ts";
import { BASELINE_POLICY, type PolicySummary } from "./policy-summary.ts";

type Column = FigureColumn<PolicySummary>;

const requests = (title: string, figure: (cost: CostSummary) => number): Column => ({
  group: "prompt tokens",
  title,
  figure: ({ cost }) => formatTokens(figure(cost)),
});

const count = (title: string, figure: (cost: CostSummary) => number): Column => ({
  group: "prompt cache",
  title,
  figure: ({ cost }) => formatCount(figure(cost)),
});

const dollars = (group: string, of: (cost: CostSummary) => DollarSummary): readonly Column[] => [
  { group, title: "all", figure: ({ cost }) => formatUsd(of(cost).usd) },
  { group, title: "per 100 calls", figure: ({ cost }) => formatUsd(of(cost).per100CallsUsd) },
  {
    group,
    title: `% of ${BASELINE_POLICY}, mean`,
    figure: ({ cost }) => formatRatioPercent(of(cost).relative?.geometricMeanRatio ?? null),
  },
  {
    group,
    title: `% of ${BASELINE_POLICY}, pooled`,
    figure: ({ cost }) => formatRatioPercent(of(cost).relative?.pooledRatio ?? null),
  },
];

/** Columns of the table of costs. */
export const COST_COLUMNS: readonly Column[] = [
  { group: "priced", title: "sessions", figure: ({ cost, sessions }) => `${cost.pricedSessions} of ${sessions}` },
  ...dollars("US dollars with a prompt cache", ({ withCache }) => withCache),
  ...dollars("US dollars with a prompt cache that never expires", ({ lastingCache }) => lastingCache),
  ...dollars("US dollars without a prompt cache", ({ withoutCache }) => withoutCache),
  requests("read from cache", ({ cacheReadTokens }) => cacheReadTokens),
  requests("written to cache", ({ cacheWriteTokens }) => cacheWriteTokens),
  requests("not cached", ({ uncachedTokens }) => uncachedTokens),
  count("breaks", ({ cacheBreaks }) => cacheBreaks),
  count("expiries", ({ cacheExpiries }) => cacheExpiries),
  count("summary requests", ({ summaryRequests }) => summaryRequests),
];
