import { createDigest, type Message, type SummaryRequest } from "@plimsoll/core";
import type { PreparedSession } from "../replay/prepared-session.ts";
import { type RecordedHistory, recordedHistory } from "./recorded-summaries.ts";
import type { SummarySource } from "./summary-source.ts";

/** What stands between a recorded summary and the digest of what it does not cover. */
export const AFTER_RECORD_TITLE = "What came after that record:";

/**
 * The recorded agent's own summaries, where one can stand: it had been written by then, it covers nothing that the policy keeps, and it
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
