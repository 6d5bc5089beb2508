import { z } from "zod";
import type { PromptedSpan } from "../entry.ts";
import { defineStrategy, type StrategyKind } from "./strategy.ts";

/** Removes summaries and notices if even they do not fit with the newest step. Needs no model. */
export interface DropNoticesSpec {
  readonly kind: "drop-notices";
}

/** Removes every summary and notice of the view; the record counts them, nothing is put in their place. */
export const DROP_NOTICES: StrategyKind = defineStrategy<DropNoticesSpec>({
  kind: "drop-notices",
  schema: z.strictObject({ kind: z.literal("drop-notices") }),
  needsModel: () => false,
  plan: (_, { messages }) => {
    const spans = messages.flatMap((message): PromptedSpan[] =>
      message.role !== "tool-result" && (message.origin === "summary" || message.origin === "notice")
        ? [{ from: message.id, through: message.id, promptId: null }]
        : [],
    );
    return spans.length === 0
      ? { kind: "not-applicable", reason: "there is no summary or notice" }
      : { kind: "edits", edits: [{ kind: "replace-spans", spans, by: "nothing" }] };
  },
});
