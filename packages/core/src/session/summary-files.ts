import type { SessionEntry } from "../entry.ts";
import { entryIdOf } from "../entry.ts";
import { foldFacts, NO_FACTS } from "../facts/facts.ts";
import { fileOperations } from "../facts/file-operations.ts";

/** What stands beside a summary as data: the files of everything that happened until then. */
export interface SummaryFiles {
  readonly type: "compaction-summary";
  readonly readFiles: readonly string[];
  /** A file that was read and later modified is listed here alone. */
  readonly modifiedFiles: readonly string[];
}

/** The files up to a compaction, read off the log; cumulative over compactions. The whole log's where the id names no entry. */
export function summaryFiles(entries: Iterable<SessionEntry>, compactionId: string | null): SummaryFiles {
  let facts = NO_FACTS;
  for (const entry of entries) {
    if (entryIdOf(entry) === compactionId) break;
    facts = foldFacts(facts, entry);
  }
  const files = [...fileOperations(facts.accesses)];
  const pathsOf = (access: "read" | "modify") => files.flatMap(([path, each]) => (each === access ? [path] : []));
  return { type: "compaction-summary", readFiles: pathsOf("read"), modifiedFiles: pathsOf("modify") };
}
