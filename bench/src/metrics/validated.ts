/** The figures of `plimsoll validate` about the measures, with the data that they are of. */
export interface ValidatedFigures {
  /** As YYYY-MM-DD. */
  readonly date: string;
  readonly sessions: number;
  /** Sessions with a real compaction that could be looked at. */
  readonly compactedSessions: number;
  readonly repositories: number;
  readonly owners: number;
  readonly predictions: readonly {
    readonly outcome: string;
    readonly measure: string;
    readonly cases: number;
    /** Area under the curve; 0.5 predicts nothing. */
    readonly area: number | null;
    readonly verdict: "predicts" | "predicts nothing" | "unknown";
  }[];
}
