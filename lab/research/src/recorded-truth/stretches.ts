import type { Transcript } from "@plimsoll/bench";
import { type CompactionEntry, isHuman, type Message, type SessionEntry, type SessionView, toolCallsOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";

/** Who made a recorded compaction: `automatic` if the log says so, or if it stands where a person cannot ask for one; `untold` if neither tells. */
export type MadeBy = "automatic" | "manual" | "untold";

/** A recorded compaction with the history that led to it. */
export interface Stretch {
  /**
   * The history as a session of its own: what was left by the compaction before, then what came up to this one, then what came up to the
   * next one. A replay passes recorded compactions over, so that a prediction that comes late is seen to come.
   */
  readonly transcript: Transcript;
  /** Calls of that session before the compaction. */
  readonly callsBefore: number;
  /** The newest prompt before it, and the reply to that; `null` if it was not reported. */
  readonly beforeTokens: number | null;
  /** The first prompt after it; `null` if there was none, or it was not reported. */
  readonly afterTokens: number | null;
  readonly madeBy: MadeBy;
  /** Which one of its session it is, from 0. */
  readonly ordinal: number;
  /** Index of the compaction among the entries of the session that it is from. */
  readonly position: number;
}

/** The recorded compactions of a session, each with its history. One that no reported prompt follows is passed over. */
export function stretchesOf(transcript: Transcript): readonly Stretch[] {
  const { entries } = transcript;
  const boundaries = entries.flatMap((entry, position) => (entry.type === "compaction" ? [{ entry, position }] : []));
  const automatic = new Set(transcript.automaticCompactionIds ?? []);
  return boundaries.flatMap(({ entry, position }, ordinal): readonly Stretch[] => {
    const startsAt = boundaries[ordinal - 1]?.position ?? null;
    const before = entries.slice(startsAt === null ? 0 : startsAt + 1, position);
    const after = entries.slice(position + 1, boundaries[ordinal + 1]?.position);
    const afterTokens = firstUsage(after)?.usage.input.totalTokens ?? null;
    if (afterTokens === null || afterTokens <= 0) return [];
    const opening = startsAt === null ? [] : openingOf(entries.slice(0, startsAt + 1));
    const usage = before.findLast((each) => each.type === "usage");
    return [
      {
        transcript: { ...transcript, automaticCompactionIds: [], entries: [...opening, ...before, entry, ...after] },
        callsBefore: before.filter(({ type }) => type === "usage").length,
        beforeTokens: usage?.type === "usage" ? usage.usage.input.totalTokens : null,
        afterTokens,
        madeBy: madeBy({ entry, before, automatic, tellsTrigger: transcript.format === "claude-code" }),
        ordinal,
        position,
      },
    ];
  });
}

function firstUsage(entries: readonly SessionEntry[]) {
  const found = entries.find(({ type }) => type === "usage");
  return found?.type === "usage" ? found : null;
}

/** The session up to a compaction as the entries that a session would begin with: how it was set up, and the messages that were left. */
function openingOf(entries: readonly SessionEntry[]): readonly SessionEntry[] {
  let view: SessionView = EMPTY_VIEW;
  for (const entry of entries) view = foldEntry(view, entry);
  const setup = entries.filter(({ type }) => type === "session" || type === "setup-change" || type === "model-change");
  return [...setup, ...view.messages.slice().map((message): SessionEntry => ({ type: "message", message }))];
}

/**
 * Logs of Claude Code name the trigger of each compaction. Others name none, or that of automatic ones alone: there one in the middle of a turn,
 * behind a reply that called tools, is the agent's own, as a person asks for one between turns.
 */
function madeBy(told: {
  readonly entry: CompactionEntry;
  readonly before: readonly SessionEntry[];
  readonly automatic: ReadonlySet<string>;
  readonly tellsTrigger: boolean;
}): MadeBy {
  if (told.automatic.has(told.entry.id)) return "automatic";
  if (told.tellsTrigger) return "manual";
  return isInTurn(told.before) ? "automatic" : "untold";
}

function isInTurn(entries: readonly SessionEntry[]): boolean {
  const newest = entries.findLast(({ type }) => type === "message");
  const message: Message | null = newest?.type === "message" ? newest.message : null;
  if (message === null || isHuman(message)) return false;
  return message.role === "tool-result" || toolCallsOf(message).length > 0;
}
