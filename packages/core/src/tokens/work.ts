import type { WorkCount } from "../entry.ts";

/** Counts work as it is done. Passed explicitly to whatever reads text, so that every compaction can say what it cost. */
export interface WorkCounter {
  /** Characters of the session's own texts that were read: a message's parts, the system text, a tool's name, description and schema. */
  scanned(characters: number): void;
  visited(messages: number): void;
  tokenized(calls: number): void;
  /** Entries that were folded into a session's state. They are no part of what a compaction cost. */
  folded(entries: number): void;
  foldedEntries(): number;
  /** The counts since the counter was made. */
  total(): WorkCount;
}

/** Makes a counter of work whose counts are all 0. */
export function createWorkCounter(): WorkCounter {
  let charactersScanned = 0;
  let messagesVisited = 0;
  let tokenizerCalls = 0;
  let entriesFolded = 0;
  return {
    scanned: (characters) => {
      charactersScanned += characters;
    },
    visited: (messages) => {
      messagesVisited += messages;
    },
    tokenized: (calls) => {
      tokenizerCalls += calls;
    },
    folded: (entries) => {
      entriesFolded += entries;
    },
    foldedEntries: () => entriesFolded,
    total: () => ({ charactersScanned, messagesVisited, tokenizerCalls }),
  };
}

/** The work done between two readings of one counter. */
export function workBetween(before: WorkCount, after: WorkCount): WorkCount {
  return {
    charactersScanned: after.charactersScanned - before.charactersScanned,
    messagesVisited: after.messagesVisited - before.messagesVisited,
    tokenizerCalls: after.tokenizerCalls - before.tokenizerCalls,
  };
}
