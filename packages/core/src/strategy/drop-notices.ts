import type { PromptedSpan } from "../entry.ts";
import type { Strategy } from "./strategy.ts";

/** Removes every summary and notice of the view; the record counts them, nothing stands in their place. */
export function dropNotices(): Strategy {
  return ({ messages }) => {
    const spans = messages.flatMap((message): PromptedSpan[] =>
      message.role !== "tool-result" && (message.origin === "summary" || message.origin === "notice")
        ? [{ from: message.id, through: message.id, promptId: null }]
        : [],
    );
    return spans.length === 0
      ? { kind: "not-applicable", reason: "there is no summary or notice" }
      : { kind: "edits", edits: [{ kind: "replace-spans", spans, by: "nothing" }] };
  };
}
