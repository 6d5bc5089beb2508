import { z } from "zod";
import { type Amount, amountSchema } from "../budget.ts";
import { expectedUse } from "../recall/expected-use.ts";
import { defineKeepRule, type KeepRuleKind } from "./keep-rule.ts";

/** Passages of the whole log, up to an amount. */
export interface RecallSpec {
  readonly kind: "recall";
  readonly atMost: Amount;
}

const schema: z.ZodType<RecallSpec> = z.strictObject({
  kind: z.literal("recall"),
  atMost: amountSchema.describe("The most of it that stays."),
});

/**
 * Recalls passages of the whole log that what follows is likely to need, chosen anew at each compaction: what earlier ones took is not
 * lost. A passage that was stated again later is left out.
 */
export const RECALL: KeepRuleKind = defineKeepRule({
  kind: "recall",
  schema,
  rule: ({ atMost }) => ({ keeps: "units", atMost, worth: expectedUse }),
});
