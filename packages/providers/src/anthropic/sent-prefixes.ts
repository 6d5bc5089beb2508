import type { Message } from "@plimsoll/core";
import { sharedPrefixCount } from "@plimsoll/core/internal";

/** Where a request was edited, as counts of leading messages. */
export interface EditPlaces {
  /** The longest prefix that an earlier request wrote to the cache and this one begins with, too; `null` for none. */
  readonly readable: number | null;
  /** Through the last message that the edit changed: the next edit will leave it alone, as a rule; `null` for none. */
  readonly settled: number | null;
}

/** Remembers what was sent and where the cache was written, to tell where a request was edited. */
export interface SentPrefixes {
  /** The places of this request, which is remembered; `null` for one that only grew, or has nothing in common with an earlier one. */
  placesOf(messages: readonly Message[]): EditPlaces | null;
}

/** Sessions that one client serves at once and that are told apart: an agent, its summariser, sub-agents; chosen. */
const MAXIMUM_SESSIONS = 4;

/** A session's newest request, and the prefixes of it that the cache was written for, in ascending order. */
interface SentSession {
  readonly messages: readonly Message[];
  readonly written: readonly number[];
}

const NOTHING_SENT: SentSession = { messages: [], written: [] };

/** Told apart by identity: untouched messages keep theirs through compactions. */
export function createSentPrefixes(): SentPrefixes {
  let sessions: readonly SentSession[] = [];
  return {
    placesOf: (messages) => {
      const shared = sessions.map((session) => sharedPrefixCount(session.messages, messages));
      const most = Math.max(0, ...shared);
      const session = (most === 0 ? goesOnFrom(sessions, messages) : sessions[shared.indexOf(most)]) ?? NOTHING_SENT;
      const isEdited = most < session.messages.length;
      const kept = isEdited ? session.written.filter((count) => count <= most) : session.written;
      const settled = isEdited ? settledCount(session.messages, messages) : null;
      const written = [...kept, ...(settled === null ? [] : [settled]), messages.length];
      sessions = [{ messages, written }, ...sessions.filter((each) => each !== session)].slice(0, MAXIMUM_SESSIONS);
      return isEdited ? { readable: kept.at(-1) ?? null, settled } : null;
    },
  };
}

/** The session whose newest message is kept, where the edit left nothing at the beginning. */
function goesOnFrom(sessions: readonly SentSession[], messages: readonly Message[]): SentSession | undefined {
  const known = new Set(messages);
  return sessions.find((session) => session.messages.slice(-1).some((message) => known.has(message)));
}

/**
 * Through the last message that is new before one that is known, at a place where a message ends on the wire, too, and through the reply behind it:
 * what is changed next, as a rule, are its results.
 */
function settledCount(before: readonly Message[], messages: readonly Message[]): number | null {
  const known = new Set(before);
  const lastKnown = messages.findLastIndex((message) => known.has(message));
  let count = messages.slice(0, lastKnown + 1).findLastIndex((message) => !known.has(message)) + 1;
  while (count > 0 && isReply(messages[count - 1]) === isReply(messages[count])) count -= 1;
  while (count > 0 && isReply(messages[count])) count += 1;
  return count === 0 ? null : count;
}

function isReply(message: Message | undefined): boolean {
  return message?.role === "assistant";
}
