import type { SessionEntry } from "../entry.ts";
import { entryIdOf } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import type { SessionBranch } from "../ports.ts";

/**
 * The entries of a branch: those through the one named, the first with the branch's own id.
 *
 * @throws PlimsollError `bad-input` where the log has no such entry.
 */
export function branchEntries(entries: readonly SessionEntry[], branch: SessionBranch): readonly SessionEntry[] {
  const last = entries.findIndex((entry) => entryIdOf(entry) === branch.throughEntryId);
  if (last < 0) {
    const { sessionId, throughEntryId } = branch;
    throw new PlimsollError("bad-input", `session ${sessionId} has no entry ${throughEntryId}`, { sessionId, throughEntryId });
  }
  return entries
    .slice(0, last + 1)
    .map((entry) => (entry.type === "session" ? { ...entry, id: branch.newSessionId, createdMs: branch.nowMs } : entry));
}
