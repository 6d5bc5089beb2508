import type { SessionEntry } from "@plimsoll/core";
import { EMPTY_VIEW, foldUnhashed, isRejectedUsage, messageChars } from "@plimsoll/core/extend";
import { countedEntries } from "../lineage.ts";
import { isClearing, isRollBack, type Transcript } from "../transcript.ts";
import { compactionWaits } from "./compaction-waits.ts";
import { contentKind } from "./content-kind.ts";
import { type SessionOpening, sessionOpening } from "./describe-session.ts";

/** The report of an answer. */
export type ReportedAnswer = Extract<SessionEntry, { type: "usage" }>;

/** A compaction, or a clearing of old results, and how long the person waited for it in milliseconds; `null` if unknown. */
interface ReportedCompaction {
  readonly type: "compaction";
  readonly waitMs: number | null;
  readonly isClearing: boolean;
}

/** The facts of a session that its log states by itself, read without a replay. */
export interface SessionFacts extends SessionOpening {
  readonly session: string;
  readonly file: string;
  readonly isSubAgent: boolean;
  /** The subscription that paid for it, as its log names it; `null` if it names none. */
  readonly plan: string | null;
  /** Its answers and compactions in order, as lineages count them; `null` for an answer without a report, and for a roll-back. */
  readonly answers: readonly (ReportedAnswer | ReportedCompaction | null)[];
  /** Characters of each kind of content, added up over all requests that sent them. */
  readonly sentChars: ReadonlyMap<string, number>;
}

/** Reads the facts of a session in one pass over its log. */
export function sessionFacts(transcript: Transcript): SessionFacts {
  const { entries, name, file, parentName } = transcript;
  const now = new Map<string, number>();
  const sentChars = new Map<string, number>();
  const add = (sums: Map<string, number>, kind: string, chars: number) => sums.set(kind, (sums.get(kind) ?? 0) + chars);
  let view = EMPTY_VIEW;
  for (const entry of entries) {
    view = foldUnhashed(view, entry);
    if (entry.type === "message") add(now, contentKind(entry.message), messageChars(entry.message));
    else if (entry.type === "usage") for (const [kind, chars] of now) add(sentChars, kind, chars);
    else if (entry.type === "compaction" || entry.type === "revert") {
      now.clear();
      for (const message of view.messages) add(now, contentKind(message), messageChars(message));
    }
  }
  const waits = compactionWaits(transcript);
  const answers = countedEntries(entries).map(({ entry }): SessionFacts["answers"][number] => {
    if (entry.type === "compaction")
      return isRollBack(entry)
        ? null
        : { type: "compaction", waitMs: waits.get(entry.id) ?? null, isClearing: isClearing(entry) };
    return entry.type === "usage" && !isRejectedUsage(entry.usage) ? entry : null;
  });
  return {
    session: name,
    file,
    isSubAgent: parentName !== null,
    plan: transcript.plan ?? null,
    ...sessionOpening(entries),
    answers,
    sentChars,
  };
}
