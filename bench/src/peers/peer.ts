import type { Policy } from "@plimsoll/core";

/** Another system's compaction as a Plimsoll policy, with the source of each number and the traits that a policy cannot express. */
export interface Peer {
  readonly policy: Policy;
  /** Every number in the policy that is the system's own, and where it stands. */
  readonly figures: readonly PeerFigure[];
  readonly line: PeerLine;
  /** Sizes that it counts in addition to the newest report and the messages since; none if it is left out. */
  readonly countsAlso?: "reasoning-of-earlier-turns";
  /** The content of its first request after a compaction, if a policy cannot say it; left out if the policy's own result is that. */
  readonly leaves?: PeerLeaves;
  /** The day on which the numbers were read in their sources, as YYYY-MM-DD. */
  readonly readOn: string;
  /** Traits of the system that the policy lacks, or has in another way. */
  readonly notExpressed: readonly string[];
}

/**
 * How the line at which a system acts follows the window that it has.
 *
 * - `share`: a share of the window, or of what the window leaves beside the reply
 * - `distance`: so many tokens below the window, or below what it leaves beside the reply
 * - `tokens`: so many tokens, whatever the window
 * - `share-and-distance`: the smaller or the larger of both
 */
interface PeerLine {
  readonly follows: "share" | "distance" | "tokens" | "share-and-distance";
  /** Where that stands: as in {@link PeerFigure}, or that it is ours. */
  readonly source: string;
}

/** The source and meaning of one number of a system. */
export interface PeerFigure {
  /** The number in words, with its name in the source if it has one. */
  readonly says: string;
  /** A repository, a path in it and a commit; an address; or how it was measured. */
  readonly source: string;
  /**
   * Primary: the system's own code, documentation, or sessions that it wrote. Secondary: what others read in a program whose source is
   * not public. Chosen: ours, because the system has no number there.
   */
  readonly standing: "primary" | "secondary" | "chosen";
}

/** The content of a system's first request after a compaction, in addition to its summary, its system text and its tools. */
export interface PeerLeaves {
  /** The person's messages stay up to so many tokens, the newest first; 0 if none does. */
  readonly personTokens: number;
  /** Whether the last answer of each turn stays, next to the person's messages. */
  readonly answers: boolean;
  /** Whether what was put before the model unasked when the session began is put there again. */
  readonly initialContext: boolean;
  /** The files that it reads again: so many, the newest touched first, those of at most so many tokens; `null` if it reads none. */
  readonly files: { readonly newest: number; readonly eachTokens: number } | null;
  readonly source: string;
}
