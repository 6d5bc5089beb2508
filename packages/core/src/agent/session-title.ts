import type { SessionEntry } from "../entry.ts";
import { isHuman, textOf } from "../message/message.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/** Longest title, in UTF-16 code units: a line of a list; chosen. */
const TITLE_CHARS = 80;

/** The beginning of the first line of the first human message; `null` where none of the entries is one. */
export function sessionTitle(entries: Iterable<SessionEntry>): string | null {
  for (const entry of entries) {
    if (entry.type !== "message" || !isHuman(entry.message)) continue;
    const [line = ""] = textOf(entry.message).trim().split("\n", 1);
    return line.slice(0, characterBoundaryAtOrBefore(line, TITLE_CHARS));
  }
  return null;
}
