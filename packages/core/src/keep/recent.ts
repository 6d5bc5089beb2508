import { z } from "zod";
import { type Amount, amountSchema } from "../budget.ts";
import { defineKeepRule, type KeepRuleKind } from "./keep-rule.ts";

/** The newest messages, or the newest tokens: the message that reaches the amount is kept, too, unless the rule says that what exceeds it goes. */
export type RecentSpec =
  | { readonly kind: "recent"; readonly messages: number }
  | { readonly kind: "recent"; readonly amount: Amount; readonly exceeding?: "stays" | "goes" | undefined };

const kind = z.literal("recent");

const schema: z.ZodType<RecentSpec> = z.union([
  z.strictObject({ kind, messages: z.int().nonnegative().describe("The newest messages that stay.") }),
  z.strictObject({
    kind,
    amount: amountSchema.describe("The newest messages that first reach this amount stay."),
    exceeding: z.enum(["stays", "goes"]).optional().describe("Whether the message that exceeds the amount stays or goes."),
  }),
]);

/** Keeps the newest history. Every system does; most keep nothing else. */
export const RECENT: KeepRuleKind = defineKeepRule({
  kind: "recent",
  schema,
  rule: (spec) =>
    "messages" in spec
      ? { keeps: "newest", amount: { messages: spec.messages } }
      : { keeps: "newest", amount: spec.amount, exceeding: spec.exceeding },
});
