import { type SessionEntry, type ToolResultMessage, textOf } from "@plimsoll/core";
import type { EnginePolicy, Kinds } from "@plimsoll/core/extend";
import { artifactHandle, followingChecks, truncateMessage } from "@plimsoll/core/extend";
import { countedOnce, type SessionLineage } from "../lineage.ts";
import { type Needs, prepareNeeds } from "../needs/needs.ts";
import { type PreparedReferences, prepareReferences, type SizedHistory, sizedHistory } from "../needs/recorded-references.ts";
import { type RepairedEntries, repairEntries } from "../repair/repair-entries.ts";
import { replyAfter } from "../size-judge/recorded-calls.ts";
import { createSizeJudge, type SizeJudge } from "../size-judge/size-judge.ts";
import type { Transcript } from "../transcript.ts";

/** A session with everything that is made once and shared by its replays. */
export interface PreparedSession {
  readonly transcript: Transcript;
  /** The recorded log after repairs, for the replay. */
  readonly entries: readonly SessionEntry[];
  readonly repaired: Pick<RepairedEntries, "repairCount" | "continuationCount">;
  readonly sizeJudge: SizeJudge;
  readonly references: PreparedReferences;
  /** Returns the needs of its calls; found when it is asked for first. */
  readonly needs: () => Needs;
  /** Its recorded messages, sized; made when it is asked for first. */
  readonly history: () => SizedHistory;
  /** Its results as policies let them in; shared by all replays. */
  readonly arrivals: Arrivals;
  /** A check of the requests of one replay. All replays share the findings about a recorded message. */
  readonly wireChecks: ReturnType<typeof followingChecks>;
}

/** Repairs the log, fits its size model and finds its references. The costly part of a replay, once per session. */
export function prepareSession(transcript: Transcript): PreparedSession {
  const { entries, repairCount, continuationCount, boundaries } = repairEntries(transcript.entries);
  const references = prepareReferences(entries);
  const sizeJudge = createSizeJudge(entries, boundaries);
  const { messageTokens } = sizeJudge;
  let needs: Needs | null = null;
  let history: SizedHistory | null = null;
  return {
    transcript,
    entries,
    repaired: { repairCount, continuationCount },
    sizeJudge,
    references,
    needs: () => {
      needs ??= prepareNeeds(entries, { references, messageTokens });
      return needs;
    },
    history: () => {
      history ??= sizedHistory(entries, references, sizeJudge);
      return history;
    },
    arrivals: createArrivals(),
    wireChecks: followingChecks(),
  };
}

/**
 * Limits a session's measures to the calls that count in it and not in another session; `null` if none does. Shared history is still replayed, as the context
 * of the calls that follow, but nothing is measured on it.
 */
export function countedSession(session: PreparedSession, shared: readonly SessionLineage[]): PreparedSession | null {
  const transcript = countedOnce(session.transcript, shared);
  if (transcript === null) return null;
  const copied = new Set(transcript.copiedIds);
  if (copied.size === 0) return { ...session, transcript };
  const replies = session.entries.flatMap((entry, place) =>
    entry.type === "usage" && copied.has(entry.requestId) ? (replyAfter(session.entries, place) ?? []) : [],
  );
  const places = new Set(replies.map(session.references.ordinalOf));
  return {
    ...session,
    transcript,
    needs: () => {
      const needs = session.needs();
      return { ...needs, isCounted: (ordinal) => !places.has(ordinal) };
    },
  };
}

/** Recorded results as they enter the history of a policy: cut to its cap, by their category. An uncut result stays the recorded value. */
type Arrivals = (by: Pick<EnginePolicy, "truncation">, kinds: Kinds) => (result: ToolResultMessage) => ToolResultMessage;

/** Each result is cut once to each cap, so that all replays that cut alike hold the same value. */
function createArrivals(): Arrivals {
  const known = new WeakMap<Kinds["truncations"], Map<string, WeakMap<ToolResultMessage, ToolResultMessage>>>();
  return ({ truncation }, { truncations }) => {
    if (truncation === null) return (result) => result;
    const byCap = known.get(truncations) ?? new Map<string, WeakMap<ToolResultMessage, ToolResultMessage>>();
    known.set(truncations, byCap);
    const cap = JSON.stringify(truncation);
    const cut = byCap.get(cap) ?? new WeakMap<ToolResultMessage, ToolResultMessage>();
    byCap.set(cap, cut);
    return (result) => {
      const before = cut.get(result);
      if (before !== undefined) return before;
      // As where results are admitted: a cut result names the place of the whole one. Nothing else is hashed.
      const how = {
        truncations,
        get hint() {
          return `handle ${artifactHandle(textOf(result))}`;
        },
      };
      const { message } = truncateMessage(result, truncation, how);
      cut.set(result, message);
      return message;
    };
  };
}
