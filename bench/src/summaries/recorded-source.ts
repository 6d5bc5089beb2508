import {
  type CompactionEntry,
  createDigest,
  type Message,
  type SessionEntry,
  type SessionView,
  type SummaryRequest,
  textOf,
} from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry, messagesWrittenBy } from "@plimsoll/core/internal";
import { ENCRYPTED_SUMMARY } from "../formats/codex/items.ts";
import type { PreparedSession } from "../replay/prepared-session.ts";
import type { SummarySource } from "../replay/summary-source.ts";

/** What stands between a recorded summary and the digest of what it does not cover. */
export const AFTER_RECORD_TITLE = "What came after that record:";

/**
 * The recorded agent's own summaries, if one can stand: it had been written by then, it covers nothing that the policy keeps, and it
 * was not used before. What the compaction covers beyond it follows as a digest. Everything else is a digest.
 */
export function createRecordedSource(): SummarySource {
  const known = new WeakMap<PreparedSession, RecordedHistory>();
  const historyOf = (session: PreparedSession): RecordedHistory => {
    const history = known.get(session) ?? recordedHistory(session.entries);
    known.set(session, history);
    return history;
  };
  return ({ session, position, note }) => {
    const digest = createDigest();
    const { summaries, ordinals } = historyOf(session);
    const ordinalOf = ({ id }: Message) => ordinals.get(id);
    let usedThrough = -1;
    let coveredThrough = -1;
    return async (request, signal) => {
      const covered = request.parts.flatMap(({ messages }) => messages).flatMap((message) => ordinalOf(message) ?? []);
      const newest = covered.reduce((most, ordinal) => Math.max(most, ordinal), -1);
      const recorded = summaries.findLast(
        ({ entryIndex, throughOrdinal }) => entryIndex < position() && throughOrdinal <= newest && throughOrdinal > usedThrough,
      );
      if (recorded === undefined) {
        coveredThrough = Math.max(coveredThrough, newest);
        note({ request, writtenBy: "digest", answered: null });
        return await digest(request, signal);
      }
      const { throughOrdinal, text } = recorded;
      const tellsMore = coveredThrough > throughOrdinal;
      const rest = partsOf(request, (message) => (ordinalOf(message) ?? (tellsMore ? Infinity : -1)) > throughOrdinal);
      usedThrough = throughOrdinal;
      coveredThrough = Math.max(coveredThrough, newest);
      const isWhole = rest.length === 0;
      note({ request, writtenBy: isWhole ? "recorded" : "recorded-and-digest", answered: null });
      if (isWhole) return { text, usage: null, stopReason: "end" };
      const after = await digest({ ...request, parts: rest, sections: [] }, signal);
      return { ...after, text: [text, AFTER_RECORD_TITLE, after.text].join("\n\n") };
    };
  };
}

/** The parts with the messages that are wanted; parts that keep none are left out. */
function partsOf({ parts }: SummaryRequest, isWanted: (message: Message) => boolean): SummaryRequest["parts"] {
  return parts
    .map((part) => ({ ...part, messages: part.messages.filter(isWanted) }))
    .filter(({ messages }) => messages.length > 0);
}

/** A summary that the recorded agent made of its own session. */
export interface RecordedSummary {
  /** Index of its recorded compaction in the log: nothing of it was known before. */
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

/** Folds the log once. A recorded compaction without a text that can be read (kept encrypted, or dropped history) gives no summary. */
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

/** The text of the summary message that a recorded compaction brought in; `null` if it has none. */
function summaryOf({ edits }: CompactionEntry, before: ReadonlySet<Message>): string | null {
  const brought = edits.flatMap(messagesWrittenBy).filter((message) => !before.has(message));
  const summary = brought.find((message) => message.role !== "tool-result" && message.origin === "summary");
  const text = summary === undefined ? "" : textOf(summary).trim();
  return text === "" || text === ENCRYPTED_SUMMARY ? null : text;
}
