import { z } from "zod";
import { type Amount, amountSchema } from "../budget.ts";
import { defineKeepRule, type KeepRuleKind } from "./keep-rule.ts";

/** Messages that the caller named, up to an amount. */
export interface PinnedSpec {
  readonly kind: "pinned";
  /** Ids of messages, the worthiest first; ids that the view does not have are passed over. */
  readonly messageIds: readonly string[];
  readonly atMost: Amount;
}

/** Keeps the messages of the ids given. */
export const PINNED: KeepRuleKind = defineKeepRule<PinnedSpec>({
  kind: "pinned",
  schema: z.strictObject({
    kind: z.literal("pinned"),
    messageIds: z.array(z.string().min(1)).readonly().describe("Ids of the messages that stay."),
    atMost: amountSchema.describe("The most that stays."),
  }),
  rule: ({ messageIds, atMost }) => ({
    keeps: "messages",
    atMost,
    choose: ({ messages }) => {
      const indexes = new Map(messages.map(({ id }, index) => [id, index]));
      return messageIds.flatMap((id) => {
        const index = indexes.get(id);
        return index === undefined ? [] : [{ from: index, through: index }];
      });
    },
  }),
});
