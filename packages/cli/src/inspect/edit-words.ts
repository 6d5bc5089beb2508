import { coverageOf } from "@plimsoll/core/build";
import type { AppliedEdit, AppliedReplaceSpans } from "@plimsoll/core/internal";

/** What edits did, like ones counted together. */
export function editWords(edits: readonly AppliedEdit[]): readonly string[] {
  const cleared = edits.filter((edit) => edit.kind === "replace-part");
  const others = edits.flatMap((edit): string[] => {
    switch (edit.kind) {
      case "replace-spans":
        return [spansWords(edit)];
      case "replace-history":
        return [`replaced ${edit.covered.messages} messages by ${edit.messages.length}`];
      case "replace-part":
        return [];
      default:
        return edit satisfies never;
    }
  });
  const removedChars = cleared.reduce((sum, edit) => sum + edit.removedChars, 0);
  return cleared.length === 0 ? others : [`shortened ${cleared.length} parts (${removedChars} characters fewer)`, ...others];
}

function spansWords({ by, message, covered }: AppliedReplaceSpans): string {
  const what = `${covered.messages} messages (${covered.chars} characters)`;
  const isWritten = message !== null && (by === "summary" || by === "digest");
  return isWritten ? `summarised ${what} as ${coverageOf([message]).chars}` : `dropped ${what}`;
}
