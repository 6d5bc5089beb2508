import type { SessionWriter } from "../ports.ts";
import type { ContextManager } from "../session/context-manager.ts";
import { createQueue } from "./queue.ts";
import type { Tally } from "./tally.ts";

/** The parts that a log's copy in the store is made from. */
export interface LogCopyParts {
  readonly manager: ContextManager;
  /** The counts over the log so far. */
  readonly tally: Tally;
  readonly writer: SessionWriter | null;
  /** True if the manager drops what the writer has. */
  readonly isArchived: boolean;
  /** How many of the manager's entries were tallied and written already. */
  readonly heldCount: number;
}

/** The copy of a log in the store, and the tally of the log. */
export interface LogCopy {
  /** The tally of all that the manager has appended. */
  tally(): Tally;
  /** Writes what the manager has appended. After a write that failed the next one brings what is missing: the log never has a gap. */
  flush(): Promise<void>;
  /** True if the manager has entries that the store does not have. */
  isBehind(): boolean;
}

/** A copy that has the manager's first entries, as many as `heldCount` says. */
export function createLogCopy({ manager, tally, writer, isArchived, heldCount }: LogCopyParts): LogCopy {
  let tallied = heldCount;
  const see = () => {
    for (const entry of manager.entries().slice(tallied)) tally.add(entry);
    tallied = manager.entries().length;
  };
  const seen = () => {
    see();
    return tally;
  };
  // Without a store the log is tallied when somebody asks.
  if (writer === null) return { tally: seen, flush: () => NOTHING_TO_WRITE, isBehind: () => false };

  const writes = createQueue();
  let written = heldCount;
  const writeFresh = async () => {
    const fresh = manager.entries().slice(written);
    if (fresh.length === 0) return;
    await writer.append(fresh);
    if (!isArchived) {
      written += fresh.length;
      return;
    }
    see();
    manager.archived(fresh.length);
    tallied -= fresh.length;
  };
  return {
    tally: seen,
    flush: () => {
      see();
      return writes.run(writeFresh);
    },
    isBehind: () => manager.entries().length > written,
  };
}

const NOTHING_TO_WRITE = Promise.resolve();
