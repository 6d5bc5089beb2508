import { z } from "zod";
import { meanOf } from "../statistics.ts";
import type { Metric } from "./metric.ts";

/** The plain tail of one replay: what it keeps at each cut, and its size; all `null` if the policy never cut, so that its tail is itself. */
export interface TailSize {
  readonly amountTokens: number | null;
  /** Its mean prompt as a share of the policy's. */
  readonly promptRatio: number | null;
}

/** The same over sessions: means over those in which the policy cut. */
export interface PooledTailSize extends TailSize {
  /** Sessions in which whole messages allow no tail of the policy's size. */
  readonly offCount: number;
}

/** A tail is of the policy's size within this share (docs/evidence.md). */
const SIZE_RATIO = 0.01;

/** How large the plain tails are that policies are compared with. */
export const TAIL_SIZE: Metric<"tailSize", TailSize, PooledTailSize, never> = {
  id: "tailSize",
  schema: z.strictObject({
    amountTokens: z.number().nonnegative().nullable(),
    promptRatio: z.number().nonnegative().nullable(),
  }),
  measure: ({ held }) => ({
    // The replay tells each call to what the controls are made from.
    add: () => undefined,
    result: () => {
      const { amountTokens, meanPromptTokens, policyPromptTokens } = held.controls().tail;
      return { amountTokens, promptRatio: amountTokens === null ? null : meanPromptTokens / policyPromptTokens };
    },
  }),
  pool: ({ results }) => ({
    amountTokens: meanOf(results.flatMap(({ amountTokens }) => amountTokens ?? [])),
    promptRatio: meanOf(results.flatMap(({ promptRatio }) => promptRatio ?? [])),
    offCount: results.filter(({ promptRatio }) => promptRatio !== null && Math.abs(promptRatio - 1) > SIZE_RATIO).length,
  }),
  figures: {},
};
