import { type Fields, numberAt, recordAt, stringAt, stringsAt, timeMsAt } from "../fields.ts";
import type { BoundaryItem, LogItem, UserItem } from "../log-items.ts";

/** A boundary line whose summary has not come yet. */
export interface PendingBoundary {
  readonly value: Fields;
  readonly line: number;
}

/** True for the line that says where the agent compacted; the summary follows on a line of its own. */
export function isBoundaryLine(value: Fields): boolean {
  return value.type === "system" && value.subtype === "compact_boundary";
}

/** The boundary, with the messages that stayed beside the summary (2.1.219 and later name them). */
export function boundaryItemOf(
  pending: PendingBoundary,
  summary: UserItem | null,
  log: { items: readonly LogItem[]; itemOfUuid: ReadonlyMap<string, LogItem> },
): BoundaryItem {
  const { value, line } = pending;
  const metadata = recordAt(value, "compactMetadata");
  return {
    kind: "boundary",
    summary,
    kept: { kind: "items", items: preservedItems(metadata, log) },
    tokensBefore: numberAt(metadata, "preTokens"),
    sourceId: stringAt(value, "uuid"),
    line,
    atMs: timeMsAt(value, "timestamp"),
  };
}

function preservedItems(
  metadata: Fields | null,
  log: { items: readonly LogItem[]; itemOfUuid: ReadonlyMap<string, LogItem> },
): readonly LogItem[] {
  const uuids = stringsAt(recordAt(metadata, "preservedMessages"), "uuids");
  const named = new Set(uuids.flatMap((uuid) => log.itemOfUuid.get(uuid) ?? []));
  if (named.size > 0) return log.items.filter((item) => named.has(item));
  const segment = recordAt(metadata, "preservedSegment");
  const indexOf = (key: string) => {
    const item = log.itemOfUuid.get(stringAt(segment, key) ?? "");
    return item === undefined ? -1 : log.items.indexOf(item);
  };
  const head = indexOf("headUuid");
  const tail = indexOf("tailUuid");
  return head < 0 || tail < head ? [] : log.items.slice(head, tail + 1);
}
