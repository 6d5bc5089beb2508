import type { Message } from "@plimsoll/core";
import { z } from "zod";
import { createContextChanges } from "../grounding/context-changes.ts";
import type { ObligationKind, Obligations } from "../references/obligations.ts";
import { percentOf, summed } from "../statistics.ts";
import { inTable, type Metric, type MetricFigure } from "./metric.ts";

/** Texts that were due at a call, summed over the calls; a ratio is `kept / due`. */
export interface KeptCount {
  readonly due: number;
  readonly kept: number;
}

/** What else a context should hold literally: the person's messages, the newest error that stands, tasks that are open. */
export interface ObligationMetrics {
  readonly instructions: KeptCount;
  readonly lastError: KeptCount;
  readonly openTasks: KeptCount;
}

const keptCount = z.strictObject({ due: z.int().nonnegative(), kept: z.int().nonnegative() });
const NOTHING_DUE: KeptCount = { due: 0, kept: 0 };

const literal = (
  kind: keyof ObligationMetrics,
  title: string,
  [method, caveat]: readonly [method: string, caveat: string],
): MetricFigure<ObligationMetrics> => ({
  unit: "% of texts due",
  better: "higher",
  method,
  caveat,
  value: ({ [kind]: { kept, due } }) => percentOf(kept, due),
  format: "percent",
  columns: [inTable("retention", "still literal, %", title)],
});

/** Texts that are due, pooled over all calls. */
export const OBLIGATIONS: Metric<"obligations", ObligationMetrics, ObligationMetrics, keyof ObligationMetrics> = {
  id: "obligations",
  schema: z.strictObject({ instructions: keptCount, lastError: keptCount, openTasks: keptCount }),
  measure: ({ session }) => {
    const probe = createObligationProbe(session.obligations);
    return {
      add: ({ reply, ordinal, lost, context }) => {
        if (reply !== null) probe.atCall(ordinal, lost ? null : context);
      },
      result: probe.result,
    };
  },
  pool: ({ results }) => ({
    instructions: summed(
      NOTHING_DUE,
      results.map(({ instructions }) => instructions),
    ),
    lastError: summed(
      NOTHING_DUE,
      results.map(({ lastError }) => lastError),
    ),
    openTasks: summed(
      NOTHING_DUE,
      results.map(({ openTasks }) => openTasks),
    ),
  }),
  figures: {
    instructions: literal("instructions", "the person's messages", [
      "The person's messages that the sent context still holds word for word, summed over the calls.",
      "A summary may say the same in other words; that does not count.",
    ]),
    lastError: literal("lastError", "last error", [
      "Calls at which the newest error that still stands is readable word for word.",
      "Errors are told by their form; some are missed.",
    ]),
    openTasks: literal("openTasks", "open tasks", [
      "Open tasks of the agent's own list that are readable word for word, summed over the calls.",
      "Only agents that keep such a list have any.",
    ]),
  },
};

/** Asks at every call which texts that are due the context still holds. */
export interface ObligationProbe {
  /** A call before the message at `ordinal`; `null` for a context that could not be sent and so holds nothing. */
  atCall(ordinal: number, context: readonly Message[] | null): void;
  result(): ObligationMetrics;
}

/**
 * Instructions, the last error and open tasks over one replay. A text counts as kept if it can be read literally: a task that a
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
