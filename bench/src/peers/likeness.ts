/** An aspect of a compaction that can be compared with the published program's own. */
export type ComparedAspect =
  | "trigger"
  | "first-kept"
  | "taken"
  | "shown"
  | "split-turn"
  | "history"
  | "turn-prefix"
  | "file-lists"
  | "size-after";

/** A way in which a policy of ours differs from the program whose likeness it is, known and meant. */
export interface DeclaredDifference {
  readonly aspect: ComparedAspect;
  /** The kind of difference, as the comparison names it. */
  readonly kind: string;
  /** The difference, and the reason why it stays. */
  readonly says: string;
}

/** Which published program a policy follows, and where it does not. `pnpm differential` fails on a difference that is not declared. */
export interface Likeness {
  /** The policy's name. */
  readonly policy: string;
  /** The program, as `package@version`. */
  readonly follows: string;
  readonly differences: readonly DeclaredDifference[];
}
