import type { SessionEntry } from "../entry.ts";
import { createMessageIndex, type LoggedMessages, type MessageIndex } from "./message-index.ts";

/**
 * Where the log is kept, for a manager that holds in memory only what the context needs and what the archive does not have yet. Entries are
 * counted from 0 over the whole log.
 */
export interface LogArchive {
  entryAt(index: number): Promise<SessionEntry>;
  /** Hands over all entries, in order. */
  read(onEntry: (entry: SessionEntry) => void): Promise<void>;
}

/** A session's log as its manager holds it: all of it, or with an archive what the archive does not have yet. */
export interface HeldLog {
  add(entry: SessionEntry): void;
  /** The entries in memory. */
  readonly entries: readonly SessionEntry[];
  /** How many entries the whole log has. */
  count(): number;
  /** Says that the archive has the first `count` of the entries in memory now; nothing without an archive. */
  archived(count: number): void;
  /** Every message of the whole log. */
  readonly messages: LoggedMessages & Pick<MessageIndex, "has">;
  /** Reads the whole log as it is now, however it grows meanwhile; more than once. */
  reader(): (onEntry: (entry: SessionEntry) => void) => Promise<void>;
}

/** A held log without entries; `null` for one that is in memory as a whole. */
export function createHeldLog(archive: LogArchive | null): HeldLog {
  const entries: SessionEntry[] = [];
  /** Entries that the archive alone has. */
  let archivedCount = 0;
  const messages = createMessageIndex(async (index) =>
    index < archivedCount ? await archive?.entryAt(index) : entries[index - archivedCount],
  );
  return {
    add: (entry) => {
      messages.add(entry);
      entries.push(entry);
    },
    entries,
    count: () => archivedCount + entries.length,
    archived: (count) => {
      if (archive === null) return;
      // While a log is opened, each entry is archived as it is taken.
      if (count >= entries.length) entries.length = 0;
      else entries.splice(0, count);
      archivedCount += count;
    },
    messages,
    reader: () => {
      const heldCount = archivedCount;
      const tail = [...entries];
      return async (onEntry) => {
        let count = 0;
        await archive?.read((entry) => {
          // The archive may grow meanwhile: what it has more is in the tail, too.
          if (count < heldCount) onEntry(entry);
          count += 1;
        });
        for (const entry of tail) onEntry(entry);
      };
    },
  };
}
