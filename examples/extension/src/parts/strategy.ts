import { isHuman } from "@plimsoll/core";
import { defineStrategy, type StrategyKind, safeCutAtOrBefore, safeCuts } from "@plimsoll/core/extend";
import { z } from "zod";

/** How many of the newest messages a forgetful policy keeps. */
export interface ForgetSpec {
  readonly kind: "forget";
  readonly keepMessages: number;
}

/** Forgets the oldest messages without a word; never the last human one, and never a call without its results. */
export const FORGET: StrategyKind = defineStrategy<ForgetSpec>({
  kind: "forget",
  schema: z.strictObject({ kind: z.literal("forget"), keepMessages: z.int().nonnegative() }),
  needsModel: () => false,
  plan: ({ keepMessages }, { messages }) => {
    const wanted = Math.min(messages.findLastIndex(isHuman), messages.length - keepMessages);
    const cut = safeCutAtOrBefore(safeCuts(messages), Math.max(0, wanted));
    const [first] = messages;
    const last = messages[cut - 1];
    if (first === undefined || last === undefined) return { kind: "not-applicable", reason: "nothing to forget" };
    const spans = [{ from: first.id, through: last.id, promptId: null }];
    return { kind: "edits", edits: [{ kind: "replace-spans", spans, by: "nothing" }] };
  },
});
