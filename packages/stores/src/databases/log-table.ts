import { setTimeout } from "node:timers/promises";
import { isPlimsollError, PlimsollError, type SessionSummary } from "@plimsoll/core";

/** The writer of a log, and for how long others keep away after its last append. */
export interface Lease {
  /** A unique name, which says who it is. */
  readonly holder: string;
  /** Milliseconds by the database's clock. */
  readonly leaseMs: number;
}

/** Lines for the end of a log, with their known facts. */
export interface NewLines {
  /** Entries as text, in order, without line ends. */
  readonly lines: readonly string[];
  /** Their size in UTF-8. */
  readonly bytes: number;
  /** The beginning of the first human message among them, or `null`. */
  readonly title: string | null;
  /** Artifacts that they name. */
  readonly handles: readonly string[];
}

/** The size of lines in UTF-8. */
export function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
}

/** The facts of a log when it begins. */
export interface NewLog extends Lease {
  readonly sessionId: string;
  readonly createdMs: number | null;
  readonly parentId: string | null;
  /** How many entries it begins with. */
  readonly count: number;
  /** The log that all of them but the first are copied from, or `null` for a log that begins with only its first. */
  readonly copyOf: string | null;
}

/** Where an append goes, which one it is, and how many entries its writer knows of. */
interface AppendTo extends Lease {
  readonly sessionId: string;
  readonly expectedCount: number;
  /** Which one of its holder's appends it is, from 1 on. The two are its id, kept with the lines, so that a repeated append finds the written lines. */
  readonly appendNumber: number;
  /** The last append that was answered. It is unknown if those between the two took effect: they failed. */
  readonly answeredNumber: number;
}

/**
 * Session logs in a database. Each function takes effect as a whole or not at all, even with others at work on the database. Each but `remove` can be
 * repeated, by us or by the database's client: it finds its earlier effect, and does nothing twice. A held log goes to no other holder until its
 * lease has run out; a writer that was overtaken finds another holder or count at its next append.
 */
export interface LogTable {
  /** Makes the tables if they are not there. */
  setUp(): Promise<void>;
  /** Begins a log with its first line, and the known facts of all its copied lines. Nothing is written if there is one of that id, or its source is gone. */
  create(log: NewLog, first: NewLines): Promise<"created" | "exists" | "held" | "absent">;
  /** Becomes a log's holder, if it has none, the lease of it has run out, or it is this one. */
  take(sessionId: string, lease: Lease): Promise<"taken" | "absent" | "held">;
  /**
   * Appends if the holder has the log and it has as many entries as expected, after it has removed lines left by failed appends. Answers with the
   * count that it found otherwise.
   */
  append(to: AppendTo, lines: NewLines): Promise<"appended" | { readonly foundCount: number | null }>;
  /** The name of a log's holder; `null` if it has none. */
  holderOf(sessionId: string): Promise<string | null>;
  /** How many entries a log has; `null` if there is no such log. */
  count(sessionId: string): Promise<number | null>;
  /** The lines of a log from an index on, as many as asked for or as there are. */
  lines(sessionId: string, from: number, count: number): Promise<readonly string[]>;
  /** Lists the logs, the one that was written last first. */
  summaries(): Promise<readonly SessionSummary[]>;
  /** Ends a lease; nothing happens if the holder has it no longer. */
  release(sessionId: string, holder: string): Promise<void>;
  /**
   * Removes a log that has no holder, or that has this one, and the artifacts that no other log names unless they are younger than
   * `artifactGraceMs`: their entry may be on its way.
   */
  remove(
    sessionId: string,
    of: { readonly artifactGraceMs: number; readonly holder: string | null },
  ): Promise<"removed" | "held">;
  /** The logs whose parent this is. */
  childrenOf(sessionId: string): Promise<readonly string[]>;
  /** The logs without a write for so long. */
  unwrittenFor(ms: number): Promise<readonly string[]>;
  /** Keeps a text under a handle. */
  putArtifact(handle: string, json: string): Promise<void>;
  /** Returns the text under a handle; `null` if there is none. */
  artifact(handle: string): Promise<string | null>;
  /** Removes the artifacts that no log names and that are older than this. */
  removeOrphans(olderThanMs: number): Promise<void>;
}

/** How long is waited before a database that failed is asked again, in milliseconds: a client finds out which of its connections are broken, and makes new ones. Chosen. */
const PAUSES_MS = [20, 200];

/** For work that is not repeated. */
export const ONCE: readonly number[] = [];

/** Asks, and asks again if the database fails: see {@link LogTable}. Passes on errors of ours and of a taker; a database's error becomes `bad-session` with its cause. */
export async function asked<T>(what: string, work: () => Promise<T>, pausesMs: readonly number[] = PAUSES_MS): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isPlimsollError(error)) throw error;
    const [pauseMs, ...rest] = pausesMs;
    if (pauseMs !== undefined) return await setTimeout(pauseMs).then(() => asked(what, work, rest));
    const message = error instanceof Error ? error.message : String(error);
    throw new PlimsollError("bad-session", `the database failed at ${what}: ${message}`, {}, error);
  }
}
