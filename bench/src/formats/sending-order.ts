import type { BoundaryItem, LogItem, ReplyItem } from "./log-items.ts";

/**
 * Puts each compaction behind the replies that were sent before it and written after it, as an agent does that compacts while an answer comes in
 * (can1357/oh-my-pi#8887). `sentMsOf` tells when a reply began; without a time its size does: no smaller than the last prompt before the compaction, while the
 * next one is. What such a reply said stays in the context.
 */
export function inOrderOfSending(items: readonly LogItem[], sentMsOf: (reply: ReplyItem) => number | null): readonly LogItem[] {
  const behind = new Map<LogItem, BoundaryItem[]>();
  const moved = new Set<LogItem>();
  for (const [at, item] of items.entries()) {
    if (item.kind !== "boundary") continue;
    const late = repliesInFlight(items, at, sentMsOf);
    const last = late.at(-1);
    if (last === undefined) continue;
    const kept = item.kept.kind === "items" ? { kind: "items" as const, items: [...item.kept.items, ...late] } : item.kept;
    behind.set(last, [...(behind.get(last) ?? []), { ...item, kept }]);
    moved.add(item);
  }
  return items.flatMap((item) => (moved.has(item) ? [] : [item, ...(behind.get(item) ?? [])]));
}

function repliesInFlight(
  items: readonly LogItem[],
  at: number,
  sentMsOf: (reply: ReplyItem) => number | null,
): readonly ReplyItem[] {
  const boundary = items[at];
  if (boundary?.kind !== "boundary") return [];
  const found: ReplyItem[] = [];
  const before = promptOf(items.slice(0, at).findLast((item) => promptOf(item) !== null));
  for (let place = at + 1; place < items.length; place++) {
    const item = items[place];
    if (item?.kind !== "reply") continue;
    const sentMs = sentMsOf(item);
    const size = promptOf(item);
    const isAsLarge = size !== null && before !== null && size >= before;
    const isInFlight = sentMs === null || boundary.atMs === null ? isAsLarge && falls(items, place) : sentMs < boundary.atMs;
    if (!isInFlight) break;
    found.push(item);
  }
  return found;
}

function falls(items: readonly LogItem[], place: number): boolean {
  const next = promptOf(items.slice(place + 1).find((item) => promptOf(item) !== null));
  return next !== null && next < (promptOf(items[place]) ?? 0);
}

function promptOf(item: LogItem | undefined): number | null {
  return item?.kind === "reply" ? (item.usage?.input.totalTokens ?? null) : null;
}
