import { z } from "zod";
import { inPercent } from "../statistics.ts";
import {
  type CostMetrics,
  type CostSummary,
  createCost,
  type DollarSummary,
  type Requests,
  summarizeCost,
} from "./cost-recorder.ts";
import { inTable, type Metric, type MetricColumn, type MetricFigure, type MetricMeaning } from "./metric.ts";
import { BASELINE_POLICY, RELATIVE_MEANINGS } from "./relative.ts";

const count = z.int().nonnegative();
const figure = z.number().nullable();

type Dollars = "usd" | "per100CallsUsd" | "relativeMean" | "relativePooled";
type CostFigure = "pricedSessions" | keyof Requests | Dollars | `${Dollars}Lasting` | `${Dollars}Without`;

const SUMMARIES_CHARGED =
  "Each summary is charged as if a model had written it: its request at its cache state, and a reply of fixed length.";
const LIST_PRICES = "List prices of each call's day; calls whose model has no price are left out, under every policy alike.";
const WITH_CACHE_GROUP = "US dollars with a prompt cache";
const NO_CACHE_GROUP = "US dollars without a prompt cache";
const LASTING_GROUP = "… that never expires";

/** Measures the cost of a policy under the provider's prices. */
export const COST: Metric<"cost", CostMetrics, CostSummary, CostFigure> = {
  id: "cost",
  schema: z.strictObject({
    cacheReadTokens: z.number(),
    cacheWriteTokens: z.number(),
    uncachedTokens: z.number(),
    cacheBreaks: count,
    cacheExpiries: count,
    replyTokens: z.number(),
    summaryRequests: count,
    summaryPromptTokens: z.number(),
    summaryReplyTokens: z.number(),
    unpricedModels: z.array(z.string()).readonly(),
    unpricedCalls: count,
    withCacheUsd: figure,
    withoutCacheUsd: figure,
    lastingCacheUsd: figure,
    withCachePer100CallsUsd: figure,
    withoutCachePer100CallsUsd: figure,
  }),
  measure: ({ session: { sizeModel }, catalog, cache, lastingCache }) => {
    const cost = createCost({ catalog, cache, sizeModel });
    const lasting = createCost({ catalog, cache: lastingCache, sizeModel });
    return {
      add: (sent) => {
        cost.add(sent, sent.served);
        lasting.add(sent, sent.servedLasting);
      },
      result: () => ({ ...cost.result(), lastingCacheUsd: lasting.result().withCacheUsd }),
    };
  },
  pool: summarizeCost,
  figures: {
    pricedSessions: {
      unit: "sessions",
      better: "neither",
      method: "Sessions in which a call has a price.",
      caveat: "Dollars are of these alone; the part on validity names the models without a price.",
      value: ({ pricedSessions }) => pricedSessions,
      format: "count",
      columns: [inTable("cost", "priced", "sessions")],
    },
    usd: {
      unit: "US dollars",
      better: "lower",
      method: `Requests at the state of their prompt cache, replies as recorded. ${SUMMARIES_CHARGED}`,
      caveat: LIST_PRICES,
      value: ({ withCache }) => withCache.usd,
      format: "usd",
      columns: [
        inTable("terminal-cost", "with cache", "USD"),
        inTable("markdown", "cost", "USD with cache"),
        inTable("cost", WITH_CACHE_GROUP, "all"),
        inTable("chart", "cost", "USD, cache"),
      ],
    },
    per100CallsUsd: per100Calls(
      ({ withCache }) => withCache,
      [inTable("terminal-cost", "with cache", "per 100"), inTable("cost", WITH_CACHE_GROUP, "per 100 calls")],
    ),
    relativeMean: relativeMean(
      ({ withCache }) => withCache,
      [
        inTable("terminal", "cost", `cost\n% ${BASELINE_POLICY}`),
        inTable("terminal-cost", "with cache", `% ${BASELINE_POLICY}`),
        inTable("markdown", "cost", `% of ${BASELINE_POLICY}`),
        inTable("cost", WITH_CACHE_GROUP, `% of ${BASELINE_POLICY}, mean`),
      ],
    ),
    relativePooled: relativePooled(({ withCache }) => withCache, WITH_CACHE_GROUP),
    usdLasting: {
      unit: "US dollars",
      better: "lower",
      method: `The same requests with a prompt cache that never expires: what is left of a gain where a session has no pauses. ${SUMMARIES_CHARGED}`,
      caveat: "No provider has such a cache.",
      value: ({ lastingCache }) => lastingCache.usd,
      format: "usd",
      columns: [inTable("cost", LASTING_GROUP, "all")],
    },
    per100CallsUsdLasting: per100Calls(({ lastingCache }) => lastingCache, [inTable("cost", LASTING_GROUP, "per 100 calls")]),
    relativeMeanLasting: relativeMean(
      ({ lastingCache }) => lastingCache,
      [inTable("cost", LASTING_GROUP, `% of ${BASELINE_POLICY}, mean`)],
    ),
    relativePooledLasting: relativePooled(({ lastingCache }) => lastingCache, LASTING_GROUP),
    usdWithout: {
      unit: "US dollars",
      better: "lower",
      method: `The same requests as if there were no prompt cache. ${SUMMARIES_CHARGED}`,
      caveat: LIST_PRICES,
      value: ({ withoutCache }) => withoutCache.usd,
      format: "usd",
      columns: [
        inTable("terminal-cost", "without", "USD"),
        inTable("markdown", "cost", "USD without"),
        inTable("cost", NO_CACHE_GROUP, "all"),
        inTable("chart", "cost", "USD, no cache"),
      ],
    },
    per100CallsUsdWithout: per100Calls(({ withoutCache }) => withoutCache, [inTable("cost", NO_CACHE_GROUP, "per 100 calls")]),
    relativeMeanWithout: relativeMean(
      ({ withoutCache }) => withoutCache,
      [
        inTable("terminal-cost", "without", `% ${BASELINE_POLICY}`),
        inTable("markdown", "cost", `% of ${BASELINE_POLICY}`),
        inTable("cost", NO_CACHE_GROUP, `% of ${BASELINE_POLICY}, mean`),
      ],
    ),
    relativePooledWithout: relativePooled(({ withoutCache }) => withoutCache, NO_CACHE_GROUP),
    cacheReadTokens: {
      unit: "tokens",
      better: "neither",
      method:
        "Tokens of requests that the prompt cache gave: the longest beginning shared with the request before, while it lived; if the recording shows how far it was read, no further.",
      caveat: "Other sessions that warm the same beginning are known from the recorded reads alone.",
      value: ({ cacheReadTokens }) => cacheReadTokens,
      format: "tokens",
      columns: promptTokens("read", "read from cache"),
    },
    cacheWriteTokens: {
      unit: "tokens",
      better: "lower",
      method: "Tokens of requests that were written to the prompt cache.",
      caveat: "Vendors without a price for writes count them, too.",
      value: ({ cacheWriteTokens }) => cacheWriteTokens,
      format: "tokens",
      columns: promptTokens("written", "written to cache"),
    },
    uncachedTokens: {
      unit: "tokens",
      better: "lower",
      method: "Tokens of requests that were neither read from the prompt cache nor written to it.",
      caveat: "Requests below the vendor's shortest cached prompt.",
      value: ({ uncachedTokens }) => uncachedTokens,
      format: "tokens",
      columns: promptTokens("other", "not cached"),
    },
    cacheBreaks: {
      unit: "requests",
      better: "lower",
      method:
        "Requests that did not begin with all of the request before while its cache was alive: something before the end was edited.",
      caveat: "How much had to be written again matters more than how often.",
      value: ({ cacheBreaks }) => cacheBreaks,
      format: "count",
      columns: [
        inTable("terminal-cost", "cache", "breaks"),
        inTable("cost", "prompt cache", "breaks"),
        inTable("chart", "compactions", "cache breaks"),
      ],
    },
    cacheExpiries: {
      unit: "requests",
      better: "neither",
      method:
        "Requests that found the cache cold: by the recorded reads, or after its time to live by the recorded times if none are reported.",
      caveat: "The recorded misses and pauses, the same for every policy but for breaks just before.",
      value: ({ cacheExpiries }) => cacheExpiries,
      format: "count",
      columns: [inTable("terminal-cost", "cache", "cold"), inTable("cost", "prompt cache", "expiries")],
    },
    summaryRequests: {
      unit: "requests",
      better: "lower",
      method: "Requests for a summary.",
      caveat: SUMMARIES_CHARGED,
      value: ({ summaryRequests }) => summaryRequests,
      format: "count",
      columns: [inTable("cost", "prompt cache", "summary requests")],
    },
  },
};

type Priced = (cost: CostSummary) => DollarSummary;

function per100Calls(of: Priced, columns: readonly MetricColumn[]): MetricFigure<CostSummary> {
  const meaning: MetricMeaning = {
    unit: "US dollars per 100 calls",
    better: "lower",
    method: "Dollars by the calls that have a price.",
    caveat: "Comparable between rows of one window only.",
  };
  return { ...meaning, value: (cost) => of(cost).per100CallsUsd, format: "usd", columns };
}

function relativeMean(of: Priced, columns: readonly MetricColumn[]): MetricFigure<CostSummary> {
  const value = (cost: CostSummary) => inPercent(of(cost).relative?.geometricMeanRatio);
  return { ...RELATIVE_MEANINGS.mean, value, format: "percent", columns };
}

function relativePooled(of: Priced, group: string): MetricFigure<CostSummary> {
  const value = (cost: CostSummary) => inPercent(of(cost).relative?.pooledRatio);
  const columns = [inTable("cost", group, `% of ${BASELINE_POLICY}, pooled`)];
  return { ...RELATIVE_MEANINGS.pooled, value, format: "percent", columns };
}

function promptTokens(terminal: string, page: string): readonly MetricColumn[] {
  return [inTable("terminal-cost", "tokens of prompts", terminal), inTable("cost", "prompt tokens", page)];
}
