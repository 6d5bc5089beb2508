import type { Policy } from "@plimsoll/core";

/** Another system's compaction as a Plimsoll policy, with the source of each number and the traits that a policy cannot express. */
export interface Peer {
  readonly policy: Policy;
  /** Every number in the policy that is the system's own, and its source. */
  readonly figures: readonly PeerFigure[];
  readonly line: PeerLine;
  /** The day on which the numbers were read in their sources, as YYYY-MM-DD. */
  readonly readOn: string;
  /** Traits of the system that the policy lacks, or has in another way. */
  readonly notExpressed: readonly string[];
}

/**
 * How the line at which a system acts follows the window that it has.
 *
 * - `share`: a share of the window, or of the window less the reply
 * - `distance`: so many tokens below the window, or below the window less the reply
 * - `tokens`: so many tokens in any window
 * - `share-and-distance`: the smaller or the larger of both
 */
interface PeerLine {
  readonly follows: "share" | "distance" | "tokens" | "share-and-distance";
  /** The source of the rule: as in {@link PeerFigure}, or a word that it is ours. */
  readonly source: string;
}

/** The source and meaning of one number of a system. */
export interface PeerFigure {
  /** The number in words, with its name in the source if it has one. */
  readonly says: string;
  /** A repository, a path in it and a commit; an address; or how it was measured. */
  readonly source: string;
  /**
   * Primary: the system's own code, documentation, or sessions that it wrote. Secondary: findings of others in a program whose source is not public.
   * Chosen: ours, because the system has no number there.
   */
  readonly standing: "primary" | "secondary" | "chosen";
}
