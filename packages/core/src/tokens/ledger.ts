import type { Account } from "./ledger/account.ts";
import type { LearnedScale, UsageAnchor } from "./usage-anchored.ts";

/**
 * What is known about the size of a view, as plain data that is folded entry by entry: `foldLedger` (in session/) adds
 * what is new and adds up a view again only after edits.
 */
export interface Ledger {
  /** Sum of the estimator's own message estimates over the view, in tokens. */
  readonly estimatedTokens: number;
  /** That sum right after the newest compaction or undo; `null` where there was none. An undo is not undone by the next gate. */
  readonly estimatedAtLastCutTokens: number | null;
  /** That sum at the newest model call; `null` before the first. */
  readonly estimatedAtLastCallTokens: number | null;
  /** Moving average of how much a step adds, by the estimator's own measure. */
  readonly stepGrowthTokens: number;
  /** The newest report that still describes the view; `null` before the first and after a compaction. */
  readonly anchor: UsageAnchor | null;
  /** What the reports taught a usage-anchored estimator; `null` before the first, and for all others. */
  readonly scale: LearnedScale | null;
  /** Learned factor of a calibrated estimator; 1 before the first report. */
  readonly factor: number;
  /** The state of the estimator `ledger`; `null` for all others. */
  readonly account: Account | null;
}

/** The ledger of an empty view. */
export const EMPTY_LEDGER: Ledger = {
  estimatedTokens: 0,
  estimatedAtLastCutTokens: null,
  estimatedAtLastCallTokens: null,
  stepGrowthTokens: 0,
  anchor: null,
  scale: null,
  factor: 1,
  account: null,
};
