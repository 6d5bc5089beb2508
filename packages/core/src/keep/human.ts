import { z } from "zod";
import type { Amount } from "../budget.ts";
import { amountSchema } from "../budget.ts";
import { isHuman } from "../message/message.ts";
import type { KeepRuleKind, KeepView, MessageRange } from "./keep-rule.ts";
import { defineKeepRule } from "./keep-rule.ts";

/** What the person said, up to an amount. */
export interface HumanSpec {
  readonly kind: "human";
  readonly atMost: Amount;
}

const schema: z.ZodType<HumanSpec> = z.strictObject({ kind: z.literal("human"), atMost: amountSchema });

/** Keeps the person's messages, newest first: what somebody asked for is not to be read off a summary. */
export const HUMAN: KeepRuleKind = defineKeepRule({
  kind: "human",
  schema,
  rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: humanMessages }),
});

function* humanMessages({ messages }: KeepView): Iterable<MessageRange> {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message !== undefined && isHuman(message)) yield { from: index, through: index };
  }
}
