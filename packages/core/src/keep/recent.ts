import { z } from "zod";
import { type Amount, amountSchema } from "../budget.ts";
import { defineKeepRule, type KeepRuleKind } from "./keep-rule.ts";

/** The newest messages, or the newest tokens: the message that reaches the amount is kept, too. */
export type RecentSpec =
  | { readonly kind: "recent"; readonly messages: number }
  | { readonly kind: "recent"; readonly amount: Amount };

const kind = z.literal("recent");

const schema: z.ZodType<RecentSpec> = z.union([
  z.strictObject({ kind, messages: z.int().nonnegative().describe("The newest messages that stay.") }),
  z.strictObject({ kind, amount: amountSchema.describe("The newest messages that first reach this amount stay.") }),
]);

/** Keeps the newest history. Every system does; most keep nothing else. */
export const RECENT: KeepRuleKind = defineKeepRule({
  kind: "recent",
  schema,
  rule: (spec) => ({ keeps: "newest", amount: "messages" in spec ? { messages: spec.messages } : spec.amount }),
});
