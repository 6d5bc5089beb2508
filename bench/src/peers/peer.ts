import type { Policy } from "@plimsoll/core";

/** Another system's compaction as a policy of ours, with where its numbers come from and what a policy cannot say of it. */
export interface Peer {
  readonly policy: Policy;
  /** Every number in the policy that is the system's own, and where it stands. */
  readonly figures: readonly PeerFigure[];
  /** The day on which they were read there. */
  readonly readOn: string;
  /** What the system does and the policy does not, or does another way. */
  readonly notExpressed: readonly string[];
}

/** What is known of one number of a system. */
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
