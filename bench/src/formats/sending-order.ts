import type { BoundaryItem, LogItem, ReplyItem } from "./log-items.ts";

/**
 * Puts each compaction behind the replies that were sent before it and written after it, as an agent does that compacts while an answer comes in
 * (can1357/oh-my-pi#8887). `sentMsOf` gives the start of a reply; without a time its size decides: no smaller than the last prompt before the
 * compaction, while the next one is. The text of such a reply stays in the context.
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
  const atMs = items[at]?.kind === "boundary" ? items[at].atMs : null;
  const before = items.slice(0, at).flatMap(promptOf).at(-1) ?? Number.POSITIVE_INFINITY;
  const later = items.slice(at + 1).filter((item) => item.kind === "reply");
  const end = later.findIndex((reply, place) => {
    const sentMs = sentMsOf(reply);
    if (sentMs !== null && atMs !== null) return sentMs >= atMs;
    const [size = 0, next = size] = later.slice(place).flatMap(promptOf);
    return size < before || next >= size;
  });
  return end < 0 ? later : later.slice(0, end);
}

function promptOf(item: LogItem): readonly number[] {
  return item.kind === "reply" ? [item.usage?.input.totalTokens ?? []].flat() : [];
}
