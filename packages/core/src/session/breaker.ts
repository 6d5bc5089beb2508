import type { FitOutcome } from "../engine/fit-input.ts";
import type { StepOutcome } from "../entry.ts";

/** What a context manager remembers between attempts, so that failing strategies are not tried for ever. */
export interface Breaker {
  /** Summaries of a model that failed in a row. */
  readonly failures: number;
  /** The ledger's estimate when an attempt last changed nothing; `null` after a success. */
  readonly estimatedAtLastAttemptTokens: number | null;
}

/** Nothing has failed. */
export const CLOSED_BREAKER: Breaker = { failures: 0, estimatedAtLastAttemptTokens: null };

/** The breaker after an attempt. Only what the ladder tried counts: a rung that had nothing to do is no failure. */
export function afterAttempt(breaker: Breaker, outcome: FitOutcome, estimatedTokens: number): Breaker {
  switch (outcome.kind) {
    case "unchanged":
      return breaker;
    case "compacted":
      return { failures: failuresAfter(breaker.failures, outcome.entry.record.steps), estimatedAtLastAttemptTokens: null };
    case "cancelled":
      return { ...breaker, estimatedAtLastAttemptTokens: estimatedTokens };
    case "failed":
    case "irreducible":
      return { failures: failuresAfter(breaker.failures, outcome.steps), estimatedAtLastAttemptTokens: estimatedTokens };
    default:
      return outcome satisfies never;
  }
}

function failuresAfter(failures: number, steps: readonly StepOutcome[]): number {
  const summaries = steps.filter((step) => step.strategy === "summarize" && step.outcome !== "not-applicable");
  return summaries.reduce((count, step) => (step.outcome === "applied" ? 0 : count + 1), failures);
}
