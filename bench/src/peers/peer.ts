import type { Policy } from "@plimsoll/core";

/** Another system's compaction as a Plimsoll policy, with the source of each number and the traits that a policy cannot express. */
export interface Peer {
  readonly policy: Policy;
  /**
   * Every number in the policy that is the system's own, in words, with its source in brackets at the end: a repository, a path in it and a commit; an address; or
   * how it was measured. Primary: the system's own code, documentation, or sessions that it wrote. Secondary: findings of others in a program whose source is not
   * public. Chosen: ours, because the system has no number there.
   */
  readonly figures: { readonly [Standing in "primary" | "secondary" | "chosen"]?: readonly string[] };
  /** The day on which we read the sources of the numbers, as YYYY-MM-DD. */
  readonly readOn: string;
  /** Traits of the system that the policy lacks, or has in another way. */
  readonly notExpressed: readonly string[];
}
