import { z } from "zod";
import type { Metric } from "./metric.ts";

/** The plain tail of one replay: what it keeps at each cut, and its size; all `null` if the policy never cut, so that its tail is itself. */
export interface TailSize {
  readonly amountTokens: number | null;
  /** Its mean prompt as a share of the policy's. */
  readonly promptRatio: number | null;
}

/** How large the plain tails are that policies are compared with. */
export const TAIL_SIZE: Metric<"tailSize", TailSize, null, never> = {
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
  pool: () => null,
  figures: {},
};
