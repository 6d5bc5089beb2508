import type { SessionEntry } from "../entry.ts";
import { entryIdOf } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import type { SessionBranch } from "../ports.ts";

/**
 * The entries of a branch: those through the one named, the first with the branch's own id.
 *
 * @throws PlimsollError `bad-input` if the log has no such entry.
 */
export function branchEntries(entries: readonly SessionEntry[], branch: SessionBranch): readonly SessionEntry[] {
  const last = entries.findIndex((entry) => entryIdOf(entry) === branch.throughEntryId);
  if (last < 0) throw noSuchEntry(branch);
  return entries.slice(0, last + 1).map((entry) => branchEntry(entry, branch));
}

/** An entry as a branch has it: a log's first one carries the branch's own id. */
export function branchEntry(entry: SessionEntry, branch: SessionBranch): SessionEntry {
  return entry.type === "session" ? { ...entry, id: branch.newSessionId, createdMs: branch.nowMs } : entry;
}

/** The error for a branch through an entry that the log does not have. */
export function noSuchEntry({ sessionId, throughEntryId }: SessionBranch): PlimsollError {
  return new PlimsollError("bad-input", `session ${sessionId} has no entry ${throughEntryId}`, { sessionId, throughEntryId });
}
