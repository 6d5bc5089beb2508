import type { Amount } from "@plimsoll/core";
import { amountSchema, defineKeepRule, type KeepRuleKind } from "@plimsoll/core/extend";
import { z } from "zod";

/** How much of the beginning a policy keeps. */
export interface OpeningSpec {
  readonly kind: "opening";
  readonly atMost: Amount;
}

/** Keeps how a session began, the oldest message first. */
export const OPENING: KeepRuleKind = defineKeepRule<OpeningSpec>({
  kind: "opening",
  schema: z.strictObject({ kind: z.literal("opening"), atMost: amountSchema }),
  rule: ({ atMost }) => ({
    keeps: "messages",
    atMost,
    choose: ({ messages }) => messages.map((_, index) => ({ from: index, through: index })),
  }),
});
