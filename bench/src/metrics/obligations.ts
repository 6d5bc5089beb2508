import type { Message } from "@plimsoll/core";
import type { ObligationKind, Obligations } from "../references/obligations.ts";
import type { KeptCount, ObligationMetrics } from "../results.ts";
import { createContextChanges } from "./context-changes.ts";

/** Asks at every call which texts that are due the context still holds. */
export interface ObligationProbe {
  /** A call before the message at `ordinal`; `null` for a context that could not be sent and so holds nothing. */
  atCall(ordinal: number, context: readonly Message[] | null): void;
  result(): ObligationMetrics;
}

/**
 * Instructions, the last error and open tasks over one replay. A text counts as kept where it can be read literally: a task that a
 * summary says in other words is not. Work at a call follows what is due.
 */
export function createObligationProbe(obligations: Obligations): ObligationProbe {
  const changesOf = createContextChanges();
  const readable = new Int32Array(obligations.textCount);
  const due: Record<ObligationKind, readonly number[]> = { instructions: [], "last-error": [], "open-tasks": [] };
  const count: Record<ObligationKind, { due: number; kept: number }> = {
    instructions: { due: 0, kept: 0 },
    "last-error": { due: 0, kept: 0 },
    "open-tasks": { due: 0, kept: 0 },
  };
  let next = 0;
  const follow = (ordinal: number) => {
    for (const event of obligations.events.slice(next)) {
      if (event.ordinal >= ordinal) break;
      due[event.kind] = event.kind === "instructions" ? [...due.instructions, ...event.texts] : event.texts;
      next += 1;
    }
  };
  const step = (messages: readonly Message[], by: 1 | -1) => {
    for (const message of messages) {
      for (const text of obligations.textsIn(message)) readable[text] = (readable[text] ?? 0) + by;
    }
  };
  return {
    atCall(ordinal, context) {
      follow(ordinal);
      if (context !== null) {
        const { removed, added } = changesOf(context);
        step(removed, -1);
        step(added, 1);
      }
      for (const kind of KINDS) {
        count[kind].due += due[kind].length;
        if (context !== null) count[kind].kept += due[kind].filter((text) => (readable[text] ?? 0) > 0).length;
      }
    },
    result: () => ({
      instructions: kept(count.instructions),
      lastError: kept(count["last-error"]),
      openTasks: kept(count["open-tasks"]),
    }),
  };
}

const KINDS = ["instructions", "last-error", "open-tasks"] as const;
const kept = (count: KeptCount): KeptCount => ({ ...count });
