import type { CostMetrics } from "../../results.ts";
import type { MetricMeaning } from "../meaning.ts";

const SUMMARIES =
  "Each summary is charged as if a model had written it: its request at its cache state, and a reply of fixed length.";

/** What the figures about cost mean. */
export const COST_MEANINGS: Readonly<Record<keyof CostMetrics, MetricMeaning>> = {
  cacheReadTokens: {
    unit: "tokens",
    better: "neither",
    method:
      "Tokens of requests that the prompt cache gave: the longest beginning shared with the request before, while it lived.",
    caveat: "Other sessions that warm the same beginning are not known.",
  },
  cacheWriteTokens: {
    unit: "tokens",
    better: "lower",
    method: "Tokens of requests that were written to the prompt cache.",
    caveat: "Vendors without a price for writes count them, too.",
  },
  uncachedTokens: {
    unit: "tokens",
    better: "lower",
    method: "Tokens of requests that were neither read from the prompt cache nor written to it.",
    caveat: "Requests below the vendor's shortest cached prompt.",
  },
  cacheBreaks: {
    unit: "requests",
    better: "lower",
    method:
      "Requests that did not begin with all of the request before while its cache was alive: something before the end was edited.",
    caveat: "How much had to be written again matters more than how often.",
  },
  cacheExpiries: {
    unit: "requests",
    better: "neither",
    method: "Requests sent after the cache's time to live, by the recorded times.",
    caveat: "The recorded pauses, the same for every policy but for breaks just before.",
  },
  replyTokens: {
    unit: "tokens",
    better: "neither",
    method: "Replies as recorded.",
    caveat: "Open loop: a reply does not react to what was compacted.",
  },
  summaryRequests: { unit: "requests", better: "lower", method: "Requests for a summary.", caveat: SUMMARIES },
  summaryPromptTokens: { unit: "tokens", better: "lower", method: "Prompts of requests for a summary.", caveat: SUMMARIES },
  summaryReplyTokens: { unit: "tokens", better: "lower", method: "Replies to requests for a summary.", caveat: SUMMARIES },
  withCacheUsd: {
    unit: "US dollars",
    better: "lower",
    method: `Requests at the state of their prompt cache, replies as recorded. ${SUMMARIES}`,
    caveat: "List prices of one date; sessions whose models have no price are left out.",
  },
  withoutCacheUsd: {
    unit: "US dollars",
    better: "lower",
    method: `The same requests as if there were no prompt cache. ${SUMMARIES}`,
    caveat: "List prices of one date; sessions whose models have no price are left out.",
  },
  lastingCacheUsd: {
    unit: "US dollars",
    better: "lower",
    method: `The same requests with a prompt cache that never expires: what is left of a gain where a session has no pauses. ${SUMMARIES}`,
    caveat: "No provider has such a cache.",
  },
  withCachePer100CallsUsd: {
    unit: "US dollars per 100 calls",
    better: "lower",
    method: "Dollars by calls of the priced sessions.",
    caveat: "Comparable between rows of one window only.",
  },
  withoutCachePer100CallsUsd: {
    unit: "US dollars per 100 calls",
    better: "lower",
    method: "Dollars by calls of the priced sessions.",
    caveat: "Comparable between rows of one window only.",
  },
};
