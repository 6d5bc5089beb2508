import type { Policy } from "@plimsoll/core";

/** Another system's compaction as a policy of ours, with where its numbers come from and what a policy cannot say of it. */
export interface Peer {
  readonly policy: Policy;
  /** Where the numbers stand. */
  readonly source: string;
  /** The day on which they were read there. */
  readonly readOn: string;
  /** What the system does and the policy does not, or does another way. */
  readonly notExpressed: readonly string[];
}
