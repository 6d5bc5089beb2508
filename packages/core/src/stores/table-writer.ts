import { createQueue } from "../conversation/queue.ts";
import { PlimsollError } from "../error.ts";
import type { SessionWriter } from "../ports.ts";
import { decodeEntry } from "../session/codec.ts";
import { asked, type LogTable, type NewLines } from "./log-table.ts";
import { newLines } from "./table-log.ts";

/** A log that was begun or taken, and how many entries it has. */
export interface HeldLog {
  readonly table: LogTable;
  readonly sessionId: string;
  readonly holder: string;
  readonly leaseMs: number;
  readonly count: number;
  /** Gives the log free. */
  readonly release: () => Promise<void>;
}

/** The writer of a log in a table. Appends run one after the other. */
export function createTableWriter({ table, sessionId, holder, leaseMs, release, count: heldCount }: HeldLog): SessionWriter {
  const queue = createQueue();
  let count = heldCount;
  let [appendNumber, answeredNumber] = [0, 0];
  let isOpen = true;
  const assertOpen = () => {
    if (!isOpen) throw new PlimsollError("bad-session", `session ${sessionId} is closed`, { sessionId });
  };
  const append = async (added: NewLines) => {
    const to = { sessionId, expectedCount: count, holder, leaseMs, appendNumber: appendNumber + 1, answeredNumber };
    appendNumber += 1;
    const outcome = await asked(sessionId, () => table.append(to, added));
    answeredNumber = appendNumber;
    if (outcome !== "appended") throw overtaken(sessionId, count, outcome.foundCount);
    count += added.lines.length;
  };
  return {
    sessionId,
    append: async (entries) => {
      const added = newLines(entries);
      await queue.run(async () => {
        assertOpen();
        if (entries.length > 0) await append(added);
      });
    },
    entryAt: async (entryIndex) => {
      assertOpen();
      const isEntry = Number.isInteger(entryIndex) && entryIndex >= 0 && entryIndex < count;
      const [line] = isEntry ? await asked(sessionId, () => table.lines(sessionId, entryIndex, 1)) : [];
      if (line !== undefined) return decodeEntry(line, { file: sessionId, line: entryIndex + 1 });
      throw new PlimsollError("bad-input", `session ${sessionId} has no entry at ${entryIndex}`, { sessionId, entryIndex });
    },
    close: () =>
      queue.run(async () => {
        if (!isOpen) return;
        isOpen = false;
        // Nothing, in the place of what an append that was rejected may have left.
        if (appendNumber > answeredNumber) await append(newLines([])).catch(() => undefined);
        await release();
      }),
  };
}

function overtaken(sessionId: string, expected: number, found: number | null): PlimsollError {
  if (found === null)
    return new PlimsollError("bad-session", `session ${sessionId} was removed while it was in use`, { sessionId });
  const message = `another writer took over session ${sessionId} (${found} entries instead of ${expected}); open it again to go on from there`;
  return new PlimsollError("session-conflict", message, { sessionId, expected, found });
}
