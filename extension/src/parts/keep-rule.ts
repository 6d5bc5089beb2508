import { type Amount, type Message, textOf } from "@plimsoll/core";
import { amountSchema, defineKeepRule, type KeepRuleKind, type KindSpec } from "@plimsoll/core/build";
import { z } from "zod";

/** How much of what was promised a policy keeps. */
export interface PromisesSpec extends KindSpec {
  readonly kind: "promises";
  readonly atMost: Amount;
}

/** Keeps the messages in which somebody promises something, the newest first. */
export const PROMISES: KeepRuleKind = defineKeepRule<PromisesSpec>({
  kind: "promises",
  schema: z.strictObject({ kind: z.literal("promises"), atMost: amountSchema }),
  rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: ({ messages }) => promises(messages) }),
});

function promises(messages: readonly Message[]): readonly { readonly from: number; readonly through: number }[] {
  return messages
    .flatMap((message, index) => (textOf(message).includes("I promise") ? [{ from: index, through: index }] : []))
    .reverse();
}
