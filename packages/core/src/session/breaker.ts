import { GOAL_STEP } from "../engine/chain.ts";
import type { FitInput, FitOutcome } from "../engine/fit-input.ts";
import type { AttemptEntry, SessionEntry, StepOutcome } from "../entry.ts";
import { shortHash } from "../hash.ts";
import { isHuman } from "../message/message.ts";

/** The memory of attempts, so that failing strategies are not tried for ever. */
export interface Breaker {
  /** Summaries of a model that failed in a row; a human message begins the count again. */
  readonly failures: number;
  /** The ledger's estimate when an attempt last changed nothing; `null` after a success. */
  readonly estimatedAtLastAttemptTokens: number | null;
  /** True if the newest compaction missed its goal: what is believed not to fit was sent, and is cut again only when enough is new. */
  readonly isGoalMissed: boolean;
}

/** Nothing has failed. */
export const CLOSED_BREAKER: Breaker = { failures: 0, estimatedAtLastAttemptTokens: null, isGoalMissed: false };

/** The breaker after one more entry. Only what was tried counts: a step that had nothing to do is no failure. */
export function foldBreaker(breaker: Breaker, entry: SessionEntry): Breaker {
  switch (entry.type) {
    case "message":
      return isHuman(entry.message) ? { ...breaker, failures: 0 } : breaker;
    case "compaction":
      return {
        failures: failuresAfter(breaker.failures, entry.record.steps),
        estimatedAtLastAttemptTokens: null,
        isGoalMissed: entry.record.steps.some(({ strategy }) => strategy === GOAL_STEP),
      };
    case "attempt": {
      const { estimatedTokens, steps } = entry;
      return { ...breaker, failures: failuresAfter(breaker.failures, steps), estimatedAtLastAttemptTokens: estimatedTokens };
    }
    case "session":
    case "setup-change":
    case "usage":
    case "model-change":
      return breaker;
    case "revert":
      return breaker.isGoalMissed ? { ...breaker, isGoalMissed: false } : breaker;
    default:
      return entry satisfies never;
  }
}

function failuresAfter(failures: number, steps: readonly StepOutcome[]): number {
  const summaries = steps.filter((step) => step.strategy === "summarize" && step.outcome !== "not-applicable");
  return summaries.reduce((count, step) => (step.outcome === "applied" ? 0 : count + 1), failures);
}

/** The entry of a fit that was tried and changed nothing; `null` if nothing was tried. */
export function attemptEntry(
  outcome: Exclude<FitOutcome, { readonly kind: "compacted" }>,
  at: { readonly input: FitInput; readonly estimatedTokens: number; readonly lastEntryId: string | null },
): AttemptEntry | null {
  if (outcome.kind === "unchanged") return null;
  const { kind, reason } = outcome;
  const steps = outcome.kind === "cancelled" ? [] : outcome.steps;
  const id = shortHash(`attempt\n${reason}\n${kind}\n${at.lastEntryId ?? ""}`);
  return { type: "attempt", id, reason, outcome: kind, steps, estimatedTokens: at.estimatedTokens, atMs: at.input.nowMs };
}
