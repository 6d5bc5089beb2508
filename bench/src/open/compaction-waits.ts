import type { SessionEntry } from "@plimsoll/core";
import type { Transcript } from "../transcript.ts";

/** Longer gaps are no wait for a summary: the machine slept, or the person was away. Chosen. */
const LONGEST_WAIT_MS = 600_000;

/**
 * How long the person waited for recorded compactions by their ids, in milliseconds: from the newest message before it to its own time. Those without
 * times are left out, and those that follow a finished reply unless the agent is known to have made them by itself: a person may have been
 * away before asking for one.
 */
export function compactionWaits({
  entries,
  automaticCompactionIds = [],
  copiedIds = [],
}: Transcript): ReadonlyMap<string, number> {
  const automatic = new Set(automaticCompactionIds);
  const copied = new Set(copiedIds);
  const waits = new Map<string, number>();
  let last: Extract<SessionEntry, { type: "message" }> | null = null;
  for (const entry of entries) {
    if (entry.type === "message") last = entry;
    if (entry.type !== "compaction" || entry.atMs === null || last === null || last.message.atMs === null) continue;
    if (last.message.role === "assistant" && !automatic.has(entry.id)) continue;
    if (copied.has(entry.id)) continue;
    const waitMs = entry.atMs - last.message.atMs;
    if (waitMs > 0 && waitMs <= LONGEST_WAIT_MS) waits.set(entry.id, waitMs);
  }
  return waits;
}
