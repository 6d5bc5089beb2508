import type { EconomyMetrics } from "../../results.ts";
import type { MetricMeaning } from "../meaning.ts";

/** What the figures about size mean. */
export const ECONOMY_MEANINGS: Readonly<Record<keyof EconomyMetrics, MetricMeaning>> = {
  compactions: {
    unit: "compactions",
    better: "neither",
    method: "Planned reductions of history that were carried out.",
    caveat: "Many small ones may cost less or more than few large ones; the dollars say which.",
  },
  failedCompactions: {
    unit: "attempts",
    better: "lower",
    method: "Attempts that changed nothing and were undone.",
    caveat: "The digest that writes the summaries here does not fail; a model may.",
  },
  promptTokens: {
    unit: "tokens",
    better: "lower",
    method: "Sum of all requests by the size model.",
    caveat: "Tokens are not dollars: a prompt cache reads most of them at a tenth of the price. Must be read with retention.",
  },
  peakPromptTokens: {
    unit: "tokens",
    better: "neither",
    method: "The largest request that was charged.",
    caveat: "A lost request counts with its recorded size.",
  },
  messagesRemoved: {
    unit: "messages",
    better: "neither",
    method: "Messages before less messages after, summed over the compactions.",
    caveat: "Stubs in place of results remove no message.",
  },
  marginSpentRatio: {
    unit: "% of the input budget",
    better: "lower",
    method:
      "Share of the input budget that was still free when a compaction was made, on average, by the policy's own measure.",
    caveat: "A policy that measures wrongly sees another margin than there was.",
  },
};

/** What a figure against the baseline means. */
export const RELATIVE_MEANINGS: Readonly<Record<"mean" | "pooled", MetricMeaning>> = {
  mean: {
    unit: "% of doing nothing",
    better: "lower",
    method:
      "Geometric mean of the sessions' ratios, over sessions in which the policy or doing nothing acted: each session counts the same.",
    caveat: "Doing nothing is charged as if its window were large enough, also where it would have been rejected.",
  },
  pooled: {
    unit: "% of doing nothing",
    better: "lower",
    method: "Sum over sum of the same sessions: each token or dollar counts the same.",
    caveat: "The longest sessions decide it.",
  },
};
