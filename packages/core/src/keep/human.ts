import { z } from "zod";
import { type Amount, amountSchema } from "../budget.ts";
import { isHuman } from "../message/message.ts";
import { defineKeepRule, type KeepRuleKind, type KeepView, type MessageRange } from "./keep-rule.ts";

/** The words of the person, up to an amount. */
export interface HumanSpec {
  readonly kind: "human";
  readonly atMost: Amount;
}

const schema: z.ZodType<HumanSpec> = z.strictObject({
  kind: z.literal("human"),
  atMost: amountSchema.describe("The most of it that stays."),
});

/**
 * Keeps the person's messages: what somebody asked for is not to be read off a summary. The newest and the first, which says what the session is for, stay
 * beyond the amount; the others from the newest back.
 */
export const HUMAN: KeepRuleKind = defineKeepRule({
  kind: "human",
  schema,
  rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: humanMessages, beyondAmount: 2 }),
});

function humanMessages({ messages }: KeepView): readonly MessageRange[] {
  const places = messages.flatMap((message, index) => (isHuman(message) ? [index] : []));
  const newestFirst = places.toReversed();
  const ordered = [...newestFirst.slice(0, 1), ...places.slice(0, 1), ...newestFirst.slice(1)];
  return [...new Set(ordered)].map((index) => ({ from: index, through: index }));
}
