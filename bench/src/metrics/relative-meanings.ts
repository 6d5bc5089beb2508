import type { MetricMeaning } from "./meaning.ts";

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
