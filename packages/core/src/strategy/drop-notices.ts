import type { DropEdit } from "../edit/edit.ts";
import type { Strategy } from "./strategy.ts";

/** Removes every summary and notice of the view; the record counts them, nothing stands in their place. */
export function dropNotices(): Strategy {
  return ({ messages }) => {
    const [first, ...rest] = messages.flatMap((message): DropEdit[] =>
      message.role !== "tool-result" && (message.origin === "summary" || message.origin === "notice")
        ? [{ kind: "drop", notice: "none", from: message.id, through: message.id }]
        : [],
    );
    return first === undefined
      ? { kind: "not-applicable", reason: "there is no summary or notice" }
      : { kind: "edits", edits: [first, ...rest] };
  };
}
