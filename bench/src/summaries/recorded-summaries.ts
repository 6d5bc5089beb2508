import type { CompactionEntry, Message, SessionEntry, SessionView } from "@plimsoll/core";
import { textOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry, messagesWrittenBy } from "@plimsoll/core/internal";

/** A summary that the recorded agent made of its own session. */
export interface RecordedSummary {
  /** Index of its boundary in the log: nothing of it was known before. */
  readonly entryIndex: number;
  /** Ordinal, among the log's messages, of the newest one that it covers. It covers everything before that, too. */
  readonly throughOrdinal: number;
  readonly text: string;
}

/** What the log says of the recorded agent's own summaries. */
export interface RecordedHistory {
  /** In the order of the log. */
  readonly summaries: readonly RecordedSummary[];
  /** Ordinals of the log's messages by id. */
  readonly ordinals: ReadonlyMap<string, number>;
}

/** Folds the log once. A boundary without a text that can be read (kept encrypted, or dropped history) gives no summary. */
export function recordedHistory(entries: readonly SessionEntry[]): RecordedHistory {
  const ordinals = new Map<string, number>();
  const summaries: RecordedSummary[] = [];
  let view: SessionView = EMPTY_VIEW;
  for (const [entryIndex, entry] of entries.entries()) {
    if (entry.type === "message") ordinals.set(entry.message.id, ordinals.size);
    if (entry.type !== "compaction") {
      view = foldEntry(view, entry);
      continue;
    }
    const before = view.messages.slice();
    view = foldEntry(view, entry);
    const summary = summaryOf(entry, new Set(before));
    const staying = new Set(view.messages.slice().map(({ id }) => id));
    const gone = before.flatMap(({ id }) => (staying.has(id) ? [] : (ordinals.get(id) ?? [])));
    const throughOrdinal = gone.reduce((newest, ordinal) => Math.max(newest, ordinal), -1);
    if (summary !== null && throughOrdinal >= 0) summaries.push({ entryIndex, throughOrdinal, text: summary });
  }
  return { summaries, ordinals };
}

/** The text of the summary message that a boundary brought in; `null` where it has none. */
function summaryOf({ edits }: CompactionEntry, before: ReadonlySet<Message>): string | null {
  const brought = edits.flatMap(messagesWrittenBy).filter((message) => !before.has(message));
  const summary = brought.find((message) => message.role !== "tool-result" && message.origin === "summary");
  const text = summary === undefined ? "" : textOf(summary).trim();
  return text === "" ? null : text;
}
