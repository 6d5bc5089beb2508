import type { SessionEntry } from "../entry.ts";
import { type Facts, foldFacts } from "../facts/facts.ts";
import { extendViewHash } from "../message/ids.ts";
import type { Message } from "../message/message.ts";
import { wellFormedMessage } from "../message/well-formed.ts";
import { createTextReadings, type TextReadings } from "../recall/recall-index.ts";
import { createTokenReadings, type TokenReadings } from "../tokens/token-readings.ts";

/**
 * Readings of message values, shared among sessions. Sessions that hold the same values, as the replays of one recording do, can share it if they run
 * with the same kinds and tokenizers, and nobody changes a value: none reads again what another has read. What a session gives, the work that it counts
 * too, does not depend on it.
 */
export interface SessionReadings extends TokenReadings {
  readonly texts: TextReadings;
  readonly folds: MessageFolds;
}

/** Makes an empty store of readings, to be given to each session that shares it. */
export function createSessionReadings(): SessionReadings {
  return { texts: createTextReadings(), folds: createSharedFolds(), ...createTokenReadings() };
}

/** The folds of a log's messages. */
export interface MessageFolds {
  /** The message as it is sent: without half characters. */
  readonly wellFormed: (message: Message) => Message;
  /** The view's hash after the message. */
  readonly viewHash: (before: string, message: Message) => string;
  /** The facts after the entry. */
  readonly facts: (before: Facts, entry: SessionEntry) => Facts;
}

/** Folds that look at every message anew. */
export const PLAIN_FOLDS: MessageFolds = {
  wellFormed: wellFormedMessage,
  viewHash: (before, { id }) => extendViewHash(before, id),
  facts: foldFacts,
};

/** A value made of two others, one of which it is kept with. */
interface Made<Of, What> {
  readonly of: Of;
  readonly what: What;
}

/**
 * Folds that give what {@link PLAIN_FOLDS} give, and make it once for all logs that hold the same message values. Nobody may change these. Of
 * a message that follows several views one hash is kept: that of the first, which most often is the log that nobody has cut yet.
 */
export function createSharedFolds(): MessageFolds {
  const whole = new WeakMap<Message, Message>();
  const hashes = new WeakMap<Message, Made<string, string>>();
  const facts = new WeakMap<Facts, Made<Message, Facts>>();
  return {
    wellFormed: (message) => {
      const known = whole.get(message);
      if (known !== undefined) return known;
      const made = PLAIN_FOLDS.wellFormed(message);
      whole.set(message, made);
      return made;
    },
    viewHash: (before, message) => {
      const known = hashes.get(message);
      if (known?.of === before) return known.what;
      const after = PLAIN_FOLDS.viewHash(before, message);
      if (known === undefined) hashes.set(message, { of: before, what: after });
      return after;
    },
    facts: (before, entry) => {
      if (entry.type !== "message") return PLAIN_FOLDS.facts(before, entry);
      const known = facts.get(before);
      if (known?.of === entry.message) return known.what;
      const after = PLAIN_FOLDS.facts(before, entry);
      // The next message that says something follows the same facts.
      if (known === undefined && after !== before) facts.set(before, { of: entry.message, what: after });
      return after;
    },
  };
}
