import { z } from "zod";
import { type CostMetrics, type CostSummary, createCost, type Requests, summarizeCost } from "./cost-recorder.ts";
import { inTable, type Metric } from "./metric.ts";

const count = z.int().nonnegative();
const figure = z.number().nullable();

type CostFigure = "pricedSessions" | keyof Requests | "usd" | "per100CallsUsd" | "usdWithout";

const SUMMARIES_CHARGED =
  "Each summary is charged as if a model had written it: its request at its cache state, and a reply of fixed length.";
const LIST_PRICES = "List prices of each call's day; calls of models without a price are left out under every policy.";
const DOLLARS = "US dollars";
const CACHE = "prompt cache";

const DOLLARS_PAID = { unit: "US dollars", better: "lower", format: "usd" } as const;
const TOKENS_PAID = { unit: "tokens", better: "lower", format: "tokens" } as const;
const REQUESTS_MORE = { unit: "requests", better: "lower", format: "count" } as const;

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
  }),
  measure: ({ session: { sizeJudge }, catalog, cache }) => {
    const cost = createCost({ catalog, cache, sizeJudge });
    return { add: (sent) => cost.add(sent, sent.served), result: cost.result };
  },
  pool: summarizeCost,
  figures: {
    pricedSessions: {
      unit: "sessions",
      better: "neither",
      method: "Sessions in which a call has a price.",
      caveat: "Dollars cover only these; the table of sessions names the models without a price.",
      value: ({ pricedSessions }) => pricedSessions,
      format: "count",
      columns: [inTable("cost", DOLLARS, "sessions priced")],
    },
    usd: {
      ...DOLLARS_PAID,
      method: `Requests at the state of their prompt cache, replies as recorded. ${SUMMARIES_CHARGED}`,
      caveat: LIST_PRICES,
      value: ({ withCache }) => withCache.usd,
      columns: [inTable("cost", DOLLARS, "with a prompt cache"), inTable("chart", DOLLARS, "with cache")],
    },
    per100CallsUsd: {
      unit: "US dollars per 100 calls",
      better: "lower",
      method: "Dollars of the calls with a price.",
      caveat: "Comparable between rows of one window only.",
      value: ({ withCache }) => withCache.per100CallsUsd,
      format: "usd",
      columns: [inTable("cost", DOLLARS, "per 100 calls")],
    },
    usdWithout: {
      ...DOLLARS_PAID,
      method: `The same requests as if there were no prompt cache. ${SUMMARIES_CHARGED}`,
      caveat: LIST_PRICES,
      value: ({ withoutCache }) => withoutCache.usd,
      columns: [inTable("cost", DOLLARS, "without"), inTable("chart", DOLLARS, "without cache")],
    },
    cacheReadTokens: {
      unit: "tokens",
      better: "neither",
      method:
        "Tokens read from the prompt cache: the longest prefix shared with the previous request while it was cached, limited to the recorded reads if known.",
      caveat: "Only the recorded reads show other sessions that warmed the same prefix.",
      value: ({ cacheReadTokens }) => cacheReadTokens,
      format: "tokens",
      columns: [inTable("cost", CACHE, "tokens read")],
    },
    cacheWriteTokens: {
      ...TOKENS_PAID,
      method: "Tokens written to the prompt cache.",
      caveat: "Vendors without a price for writes count them, too.",
      value: ({ cacheWriteTokens }) => cacheWriteTokens,
      columns: [inTable("cost", CACHE, "tokens written")],
    },
    uncachedTokens: {
      ...TOKENS_PAID,
      method: "Tokens neither read from the prompt cache nor written to it.",
      caveat: "Requests below the vendor's shortest cached prompt.",
      value: ({ uncachedTokens }) => uncachedTokens,
      columns: [inTable("cost", CACHE, "tokens not cached")],
    },
    cacheBreaks: {
      ...REQUESTS_MORE,
      method: "Requests that did not extend the previous request while it was cached: an earlier part was edited.",
      caveat: "The rewritten amount matters more than the count.",
      value: ({ cacheBreaks }) => cacheBreaks,
      columns: [inTable("cost", CACHE, "broken"), inTable("chart", "requests", "cache broken")],
    },
    cacheExpiries: {
      unit: "requests",
      better: "neither",
      method: "Requests that found the cache cold: by the recorded reads, or by the recorded times if no reads are reported.",
      caveat: "Recorded misses and pauses, the same for every policy except breaks just before.",
      value: ({ cacheExpiries }) => cacheExpiries,
      format: "count",
      columns: [inTable("cost", CACHE, "expired")],
    },
    summaryRequests: {
      ...REQUESTS_MORE,
      method: "Requests for a summary.",
      caveat: SUMMARIES_CHARGED,
      value: ({ summaryRequests }) => summaryRequests,
      columns: [inTable("cost", "summaries", "requests")],
    },
  },
};
