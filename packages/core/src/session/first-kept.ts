import type { SessionEntry } from "../entry.ts";
import { foldEntries } from "./view.ts";

/**
 * The id of the first message that a compaction kept word for word after what it covered, for displays and other systems' formats; `null`
 * where nothing was left, or for an id that is no compaction of the log. The log itself names what is covered, never an index.
 */
export function firstKeptId(entries: readonly SessionEntry[], compactionId: string): string | null {
  const at = entries.findIndex((entry) => entry.type === "compaction" && entry.id === compactionId);
  const entry = entries[at];
  if (entry?.type !== "compaction") return null;
  const before = foldEntries(entries.slice(0, at)).messages.slice();
  const covered = entry.edits.flatMap((edit) =>
    edit.kind === "replace-spans" ? edit.spans.map(({ through }) => through) : [],
  );
  const last = before.findLastIndex((message) => covered.includes(message.id));
  return last < 0 ? null : (before[last + 1]?.id ?? null);
}
