import type { Policy, SessionEntry } from "@plimsoll/core";
import { createContextManager, decodeLog, encodeLog } from "@plimsoll/core";
import { longSession } from "./long-session.ts";
import type { Spread } from "./spread.ts";
import { spreadOf } from "./spread.ts";

/** Heap of a session, in bytes a message. */
export interface MemoryPerMessage {
  /** Log entries themselves, with their texts. */
  readonly entriesBytes: Spread;
  /** What a context manager holds besides: view, ledger, facts, index. */
  readonly managerBytes: Spread;
}

const ROUNDS = 3;

/** Measures that, round by round. Throws if the process was started without `--expose-gc`. */
export function memoryPerMessage(policy: Policy, messageCount: number): MemoryPerMessage {
  const rounds = Array.from({ length: ROUNDS }, () => memoryOnce(policy, messageCount));
  return {
    entriesBytes: spreadOf(rounds.map((round) => round.entriesBytes)),
    managerBytes: spreadOf(rounds.map((round) => round.managerBytes)),
  };
}

/** A function of its own, so that nothing of one round is alive in the next. */
function memoryOnce(policy: Policy, messageCount: number): { readonly entriesBytes: number; readonly managerBytes: number } {
  const emptyBytes = heapBytes();
  const entries = readLog(messageCount);
  const logBytes = heapBytes();
  const manager = createContextManager({ policy, summarizer: () => Promise.reject(new Error("not asked")), entries });
  const managerBytes = heapBytes();
  // Both are used once more, so that neither is collected before it was measured.
  if (manager.entries().length < entries.length) throw new Error("the session is not whole");
  return { entriesBytes: (logBytes - emptyBytes) / messageCount, managerBytes: (managerBytes - logBytes) / messageCount };
}

/** Read back from text, as a log from a file is: every string then is one of its own, and the text itself is gone. */
function readLog(messageCount: number): readonly SessionEntry[] {
  return decodeLog(encodeLog(longSession(messageCount)), "log").entries;
}

function heapBytes(): number {
  const collect = globalThis.gc;
  if (collect === undefined) throw new Error("start node with --expose-gc");
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
