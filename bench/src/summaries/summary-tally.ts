/** Requests for summaries that went to a model, or would have to: what they take. */
export interface SummaryTally {
  /** Requests that were answered from the cassette. */
  readonly fromCassette: number;
  /** Requests that were not: sent and paid, or only counted where the run estimates. */
  readonly asked: number;
  readonly promptTokens: number;
  readonly replyTokens: number;
  /** `null` where the model has no price. */
  readonly usd: number | null;
}

/** Nothing was asked. */
export const NO_SUMMARIES_ASKED: SummaryTally = { fromCassette: 0, asked: 0, promptTokens: 0, replyTokens: 0, usd: 0 };

/** Both together. */
export function addedTallies(one: SummaryTally, other: SummaryTally): SummaryTally {
  return {
    fromCassette: one.fromCassette + other.fromCassette,
    asked: one.asked + other.asked,
    promptTokens: one.promptTokens + other.promptTokens,
    replyTokens: one.replyTokens + other.replyTokens,
    usd: one.usd === null || other.usd === null ? null : one.usd + other.usd,
  };
}
