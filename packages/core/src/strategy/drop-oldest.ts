import { z } from "zod";
import { cutKeeping, safeCutAtOrAfter, safeCutAtOrBefore, safeCuts, spansBetween } from "../cut-point.ts";
import { isHuman } from "../message/message.ts";
import { defineStrategy, type StrategyAnswer, type StrategyInput, type StrategyKind } from "./strategy.ts";

/** Removes the oldest part and leaves a notice that counts it. Needs no model. */
export interface DropOldestSpec {
  readonly kind: "drop-oldest";
  /** All but the policy's kept messages, or no more than it takes to fit. */
  readonly amount: "all-but-keep" | "until-it-fits";
  /** Whether a notice counts the removed messages, in all or by role; without one only the record does, and a notice has only the model's pins. */
  readonly notice: "count" | "roles" | "none";
}

/** Removes the oldest messages, never the last human one, and never a call without its results. */
export const DROP_OLDEST: StrategyKind = defineStrategy<DropOldestSpec>({
  kind: "drop-oldest",
  schema: z.strictObject({
    kind: z.literal("drop-oldest"),
    amount: z
      .enum(["all-but-keep", "until-it-fits"])
      .describe("The amount removed: everything outside the keep rules, or the least that makes the rest fit."),
    notice: z.enum(["count", "roles", "none"]).describe("The replacement text: a count, counts by role, or nothing."),
  }),
  needsModel: () => false,
  plan: dropOldest,
});

function dropOldest({ amount, notice }: DropOldestSpec, input: StrategyInput): StrategyAnswer {
  const { messages, keep, keptMessageTokens, lastStep } = input;
  const cut =
    amount === "all-but-keep"
      ? safeCutAtOrBefore(safeCuts(messages, lastStep), cutKeeping(messages, keep, keptMessageTokens))
      : cutToFit(notice === "none" ? { ...input, noticeTokens: 0 } : input);
  const spans = spansBetween(messages, { start: 0, cut }).map(({ from, through }) => ({ from, through, promptId: null }));
  if (spans.length === 0) return { kind: "not-applicable", reason: "nothing can be dropped" };
  const edit = { kind: "replace-spans", spans } as const;
  return {
    kind: "edits",
    edits: [notice === "none" ? { ...edit, by: "nothing" } : { ...edit, by: "notice", noticeForm: notice }],
  };
}

/** The smallest safe cut after which the rest fits together with a notice and the kept messages; the largest there is if none fits. */
function cutToFit({ messages, roomTokens, messageTokens, noticeTokens, isKept, lastStep }: StrategyInput): number {
  const safe = safeCuts(messages, lastStep);
  const human = messages.findLastIndex(isHuman);
  const humanMessage = messages[human];
  const humanTokens = humanMessage === undefined ? 0 : messageTokens(humanMessage);
  let keptTokens = messages.reduce((sum, message) => (isKept(message) ? sum + messageTokens(message) : sum), 0);
  let wanted = messages.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) break;
    if (!isKept(message)) keptTokens += messageTokens(message);
    const literalTokens = index > human ? humanTokens : 0;
    if (keptTokens + literalTokens + noticeTokens > roomTokens) break;
    wanted = index;
  }
  return safeCutAtOrAfter(safe, wanted) ?? safeCutAtOrBefore(safe, messages.length);
}
