import {
  type CompactionEntry,
  createDigest,
  type Message,
  type SessionEntry,
  type SessionView,
  type SummaryRequest,
  textOf,
} from "@plimsoll/core";
import { EMPTY_VIEW, foldUnhashed } from "@plimsoll/core/extend";
import type { SummarySource } from "../drive/summary-source.ts";
import { ENCRYPTED_SUMMARY } from "../formats/codex/items.ts";
import { FAR_NEED_TOKENS } from "../needs/needs.ts";
import type { PreparedSession } from "../open/prepared-session.ts";

/** The heading between a recorded summary and the digest of the messages that it does not cover. */
export const AFTER_RECORD_TITLE = "What came after that record:";

/** Tokens of the cut that a recorded summary may lack, and of the kept messages that it may repeat (docs/evidence.md: a need so near is not far). */
export const COMPARABLE_TOKENS: number = FAR_NEED_TOKENS;

/**
 * The recorded agent's own summaries, if one has a comparable place (docs/evidence.md). The part of the cut behind its coverage follows as a digest.
 * Everything else is a digest.
 */
export function createRecordedSource(): SummarySource {
  const known = new WeakMap<PreparedSession["entries"], KnownHistory>();
  const historyOf = (session: PreparedSession): KnownHistory => {
    const seen = known.get(session.entries);
    if (seen !== undefined) return seen;
    const history = recordedHistory(session.entries);
    const weighed = { ...history, weights: weightsOf(session, history.ordinals) };
    known.set(session.entries, weighed);
    return weighed;
  };
  return ({ session, position, note }) => {
    const digest = createDigest();
    const { summaries, ordinals, weights } = historyOf(session);
    const ordinalOf = ({ id }: Message) => ordinals.get(id);
    const taken = new Set<number>();
    let usedThrough = -1;
    let coveredThrough = -1;
    return async (request, signal) => {
      const covered = request.parts.flatMap(({ messages }) => messages).flatMap((message) => ordinalOf(message) ?? []);
      for (const ordinal of covered) taken.add(ordinal);
      const newest = covered.reduce((most, ordinal) => Math.max(most, ordinal), -1);
      const recorded = summaries.findLast(
        ({ entryIndex, throughOrdinal }) =>
          entryIndex < position() &&
          throughOrdinal <= newest &&
          throughOrdinal > usedThrough &&
          isComparable({ weights, taken, covered }, throughOrdinal),
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

/** A recorded history with the tokens of each message by ordinal; 0 for one of the person, which may stay beside a summary of it. */
interface KnownHistory extends RecordedHistory {
  readonly weights: readonly number[];
}

function weightsOf({ entries, sizeJudge }: PreparedSession, ordinals: RecordedHistory["ordinals"]): readonly number[] {
  const weights = Array.from({ length: ordinals.size }, () => 0);
  let call = 0;
  for (const entry of entries) {
    if (entry.type === "usage") call += 1;
    if (entry.type !== "message") continue;
    const { message } = entry;
    const isHuman = message.role === "user" && message.origin === "human";
    weights[ordinals.get(message.id) ?? 0] = isHuman ? 0 : sizeJudge.messageTokens(message, call);
  }
  return weights;
}

/** The messages that a cut takes (`covered`), and those that it and earlier ones took together, by ordinal. */
interface Cut {
  readonly weights: readonly number[];
  readonly covered: readonly number[];
  readonly taken: ReadonlySet<number>;
}

/** Whether a summary of everything through a message lacks little of the cut, and repeats little of the kept messages. */
function isComparable({ weights, covered, taken }: Cut, throughOrdinal: number): boolean {
  const lacking = covered.reduce((sum, ordinal) => sum + (ordinal > throughOrdinal ? (weights[ordinal] ?? 0) : 0), 0);
  if (lacking > COMPARABLE_TOKENS) return false;
  const kept = weights.reduce((sum, tokens, place) => sum + (place <= throughOrdinal && !taken.has(place) ? tokens : 0), 0);
  return kept <= COMPARABLE_TOKENS;
}

/** The parts with the messages that are wanted; parts that keep none are left out. */
function partsOf({ parts }: SummaryRequest, isWanted: (message: Message) => boolean): SummaryRequest["parts"] {
  return parts
    .map((part) => ({ ...part, messages: part.messages.filter(isWanted) }))
    .filter(({ messages }) => messages.length > 0);
}

/** A summary that the recorded agent made of its own session. */
interface RecordedSummary {
  /** Index of its recorded compaction in the log: nothing of it was known before. */
  readonly entryIndex: number;
  /** Ordinal, among the log's messages, of the newest one that it covers. It covers everything before that, too. */
  readonly throughOrdinal: number;
  readonly text: string;
}

/** The recorded agent's own summaries, as the log has them. */
export interface RecordedHistory {
  readonly summaries: readonly RecordedSummary[];
  /** Ordinals of the log's messages by id. */
  readonly ordinals: ReadonlyMap<string, number>;
}

/** Folds the log once, as far as its last compaction. A recorded compaction without a text that can be read (kept encrypted, or dropped history) gives no summary. */
export function recordedHistory(entries: readonly SessionEntry[]): RecordedHistory {
  const ordinals = new Map<string, number>();
  const summaries: RecordedSummary[] = [];
  const last = entries.findLastIndex(({ type }) => type === "compaction");
  let view: SessionView = EMPTY_VIEW;
  for (const [entryIndex, entry] of entries.entries()) {
    if (entry.type === "message") ordinals.set(entry.message.id, ordinals.size);
    const before = entry.type === "compaction" ? view.messages.slice() : [];
    if (entryIndex <= last) view = foldUnhashed(view, entry);
    if (entry.type !== "compaction") continue;
    const summary = summaryOf(entry, new Set(before));
    const staying = new Set(view.messages.slice().map(({ id }) => id));
    const gone = before.flatMap(({ id }) => (staying.has(id) ? [] : (ordinals.get(id) ?? [])));
    const throughOrdinal = gone.reduce((newest, ordinal) => Math.max(newest, ordinal), -1);
    if (summary !== null && throughOrdinal >= 0) summaries.push({ entryIndex, throughOrdinal, text: summary });
  }
  return { summaries, ordinals };
}

/** The whole messages that an edit put into the context. */
function broughtBy(edit: CompactionEntry["edits"][number]): readonly Message[] {
  if (edit.kind === "replace-history") return edit.messages;
  return edit.kind === "replace-part" || edit.message === null ? [] : [edit.message];
}

/** The text of the summary message that a recorded compaction brought in; `null` if it has none. */
function summaryOf({ edits }: CompactionEntry, before: ReadonlySet<Message>): string | null {
  const brought = edits.flatMap(broughtBy).filter((message) => !before.has(message));
  const summary = brought.find((message) => message.role !== "tool-result" && message.origin === "summary");
  const text = summary === undefined ? "" : textOf(summary).trim();
  return text === "" || text === ENCRYPTED_SUMMARY ? null : text;
}
