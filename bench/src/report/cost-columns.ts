import type { MetricMeaning } from "../metrics/meaning.ts";
import { COST_MEANINGS } from "../metrics/meanings/cost-meanings.ts";
import { RELATIVE_MEANINGS } from "../metrics/meanings/economy-meanings.ts";
import { SESSION_MEANINGS } from "../metrics/meanings/session-meanings.ts";
import type { CostSummary, DollarSummary } from "./cost-summary.ts";
import { formatCount, formatPercent, formatTokens, formatUsd } from "./figures.ts";
import { type FigureColumn, numberColumn } from "./html-figure-table.ts";
import { percentOf } from "./policy-columns.ts";
import { BASELINE_POLICY, type PolicySummary } from "./policy-summary.ts";

type Column = FigureColumn<PolicySummary>;

const tokens = (title: string, figure: "cacheReadTokens" | "cacheWriteTokens" | "uncachedTokens"): Column =>
  numberColumn({
    group: "prompt tokens",
    title,
    meaning: COST_MEANINGS[figure],
    value: ({ cost }) => cost[figure],
    format: formatTokens,
  });

const count = (title: string, figure: "cacheBreaks" | "cacheExpiries" | "summaryRequests"): Column =>
  numberColumn({
    group: "prompt cache",
    title,
    meaning: COST_MEANINGS[figure],
    value: ({ cost }) => cost[figure],
    format: formatCount,
  });

const dollars = (group: string, meaning: MetricMeaning, of: (cost: CostSummary) => DollarSummary): readonly Column[] => [
  numberColumn({ group, title: "all", meaning, value: ({ cost }) => of(cost).usd, format: formatUsd }),
  numberColumn({
    group,
    title: "per 100 calls",
    meaning: COST_MEANINGS.withCachePer100CallsUsd,
    value: ({ cost }) => of(cost).per100CallsUsd,
    format: formatUsd,
  }),
  numberColumn({
    group,
    title: `% of ${BASELINE_POLICY}, mean`,
    meaning: RELATIVE_MEANINGS.mean,
    value: ({ cost }) => percentOf(of(cost).relative?.geometricMeanRatio ?? null),
    format: formatPercent,
  }),
  numberColumn({
    group,
    title: `% of ${BASELINE_POLICY}, pooled`,
    meaning: RELATIVE_MEANINGS.pooled,
    value: ({ cost }) => percentOf(of(cost).relative?.pooledRatio ?? null),
    format: formatPercent,
  }),
];

/** Columns of the table of costs. */
export const COST_COLUMNS: readonly Column[] = [
  numberColumn({
    group: "priced",
    title: "sessions",
    meaning: SESSION_MEANINGS.priced,
    value: ({ cost }) => cost.pricedSessions,
    format: formatCount,
  }),
  ...dollars("US dollars with a prompt cache", COST_MEANINGS.withCacheUsd, ({ withCache }) => withCache),
  ...dollars("… that never expires", COST_MEANINGS.lastingCacheUsd, ({ lastingCache }) => lastingCache),
  ...dollars("US dollars without a prompt cache", COST_MEANINGS.withoutCacheUsd, ({ withoutCache }) => withoutCache),
  tokens("read from cache", "cacheReadTokens"),
  tokens("written to cache", "cacheWriteTokens"),
  tokens("not cached", "uncachedTokens"),
  count("breaks", "cacheBreaks"),
  count("expiries", "cacheExpiries"),
  count("summary requests", "summaryRequests"),
];
