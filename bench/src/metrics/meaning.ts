/** What a figure is, so that a reader need not guess: every column of a report has one. */
export interface MetricMeaning {
  readonly unit: string;
  /** Which way is good; `neither` for facts about the input and figures that are no goal in themselves. */
  readonly better: "lower" | "higher" | "neither";
  /** How it is made. */
  readonly method: string;
  /** What it does not say. */
  readonly caveat: string;
}
