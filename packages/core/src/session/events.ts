import type { SizedPart } from "../engine/fit.ts";
import type { CompactionEntry, CompactionReason, StepOutcome } from "../entry.ts";

/** What a context manager tells its subscribers. Token figures are by the estimator that `estimator` names. */
export type ContextEvent =
  | {
      readonly type: "compaction-start";
      readonly reason: CompactionReason;
      readonly estimator: string;
      readonly tokensBefore: number;
      readonly messagesBefore: number;
    }
  | { readonly type: "compaction-end"; readonly estimator: string; readonly entry: CompactionEntry }
  | { readonly type: "compaction-failed"; readonly reason: CompactionReason; readonly steps: readonly StepOutcome[] }
  | { readonly type: "compaction-off"; readonly why: "unknown-window" }
  | { readonly type: "context-irreducible"; readonly budgetTokens: number; readonly parts: readonly SizedPart[] };

/** Receives events, in order. An error that it throws reaches the caller of `fit` or `append`. */
export type ContextListener = (event: ContextEvent) => void;
