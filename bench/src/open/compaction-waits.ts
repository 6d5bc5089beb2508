import type { SessionEntry } from "@plimsoll/core";
import { isClearing, type Transcript } from "../transcript.ts";

/** Longer gaps are no wait for a summary: the machine slept, or the person was away. Chosen. */
const LONGEST_WAIT_MS = 600_000;

/** When the person asked for the compaction at a place: its command is logged behind it with an earlier time; `null` for none. */
export function askedAtMs(entries: Transcript["entries"], place: number): number | null {
  const compaction = entries[place];
  if (compaction?.type !== "compaction" || compaction.atMs === null) return null;
  const saidMs = (at: number) => (entries[at]?.type === "message" ? entries[at].message.atMs : null);
  let before = place - 1;
  while (before >= 0 && saidMs(before) === null) before -= 1;
  const fromMs = saidMs(before) ?? Number.NEGATIVE_INFINITY;
  for (let at = place + 1; at < entries.length; at++) {
    const entry = entries[at];
    if (entry?.type !== "message" || entry.message.role !== "user") return null;
    const { atMs } = entry.message;
    if (atMs !== null && atMs > fromMs && atMs < compaction.atMs) return atMs;
  }
  return null;
}

/**
 * How long the person waited for recorded compactions by their ids, in milliseconds: from its command, or the newest message before it, to its own time. Those without
 * times are left out, and clearings of results, and those that follow a finished reply unless the agent is known to have made them by itself: a person may have been
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
  for (const [place, entry] of entries.entries()) {
    if (entry.type === "message") last = entry;
    if (entry.type !== "compaction" || entry.atMs === null || last === null || last.message.atMs === null) continue;
    const askedMs = askedAtMs(entries, place);
    if (askedMs === null && last.message.role === "assistant" && !automatic.has(entry.id)) continue;
    if (copied.has(entry.id) || isClearing(entry)) continue;
    const waitMs = entry.atMs - (askedMs ?? last.message.atMs);
    if (waitMs > 0 && waitMs <= LONGEST_WAIT_MS) waits.set(entry.id, waitMs);
  }
  return waits;
}
