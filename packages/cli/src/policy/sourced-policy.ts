import type { Policy } from "@plimsoll/core";

/** A policy with where each of its values comes from. */
export interface SourcedPolicy {
  readonly policy: Policy;
  /** Where the value at a path comes from, e.g. `preset sven` or `late.yaml:3`. */
  originOf(path: readonly PropertyKey[]): string;
}

/** A policy, or one line for each thing that is wrong. */
export type ReadPolicy = { readonly found: SourcedPolicy } | { readonly problems: readonly string[] };
