import type { Interval } from "../statistics.ts";

/** The figures of `plimsoll validate` about the measures, with the data that they are of. */
export interface ValidatedFigures {
  /** As YYYY-MM-DD. */
  readonly date: string;
  readonly sessions: number;
  /** Sessions with a real compaction that could be looked at. */
  readonly compactedSessions: number;
  readonly repositories: number;
  readonly owners: number;
  /** A file that is not in hand after a compaction is read again within 30 calls. */
  readonly reread: Probability;
  /** An edit fails of which a quoted text is not in the context. */
  readonly failedEdit: Probability;
  readonly predictions: readonly {
    readonly outcome: string;
    readonly measure: string;
    readonly cases: number;
    /** Area under the curve; 0.5 predicts nothing. */
    readonly area: number | null;
    readonly verdict: "predicts" | "predicts nothing" | "unknown";
  }[];
}

/** How often something came about, of so many cases. */
export interface Probability {
  readonly value: number | null;
  /** `null` from too few owners. */
  readonly interval: Interval | null;
  readonly sessions: number;
  readonly cases: number;
}
