import type { ClassCounts } from "../char-classes.ts";
import { NO_COUNTS } from "../char-classes.ts";
import type { MessageContent } from "./content.ts";

/** What several messages come to, before it is priced: sums that any model's weights can be applied to. */
export interface Load {
  readonly counts: ClassCounts;
  readonly messages: number;
  /** Images, and what the messages do not show. */
  readonly fixedTokens: number;
}

/** No message. */
export const NO_LOAD: Load = { counts: NO_COUNTS, messages: 0, fixedTokens: 0 };

/**
 * The load with one more message. Readable reasoning is left out: it is sent only where a vendor's own form of it is, and then the report of
 * its reply counts it.
 */
export function withContent(load: Load, content: MessageContent, fixedTokens: number): Load {
  return {
    counts: addCounts(load.counts, content.counts),
    messages: load.messages + 1,
    fixedTokens: load.fixedTokens + fixedTokens,
  };
}

/** Both loads together. */
export function addLoads(a: Load, b: Load): Load {
  return {
    counts: addCounts(a.counts, b.counts),
    messages: a.messages + b.messages,
    fixedTokens: a.fixedTokens + b.fixedTokens,
  };
}

/** The sum of two vectors of counts. */
export function addCounts(a: ClassCounts, b: ClassCounts): ClassCounts {
  return a.map((count, index) => count + (b[index] ?? 0));
}

/** The weighted sum of counts. */
export function weighCounts(counts: ClassCounts, weights: ClassCounts): number {
  let sum = 0;
  for (let index = 0; index < counts.length; index++) sum += (counts[index] ?? 0) * (weights[index] ?? 0);
  return sum;
}
