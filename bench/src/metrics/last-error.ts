import type { Message } from "@plimsoll/core";
import { z } from "zod";
import type { ShownContext } from "../grounding/context-changes.ts";
import type { LastErrors } from "../references/last-errors.ts";
import { summed } from "../statistics.ts";
import type { Metric } from "./metric.ts";

/** Calls at which an error stood, and those whose context still held it word for word. */
export interface LastErrorCount {
  readonly due: number;
  readonly kept: number;
}

/** Calls at which the newest error that still stands is readable, pooled over all calls. */
export const LAST_ERROR: Metric<"lastError", LastErrorCount, LastErrorCount, never> = {
  id: "lastError",
  schema: z.strictObject({ due: z.int().nonnegative(), kept: z.int().nonnegative() }),
  measure: ({ session }) => {
    const probe = createLastErrorProbe(session.lastErrors);
    return {
      add: ({ reply, ordinal, shown }) => {
        if (reply !== null) probe.atCall(ordinal, shown);
      },
      follow: ({ reply, ordinal, shown }) => {
        if (reply !== null) probe.atCall(ordinal, shown, "unasked");
      },
      result: probe.result,
    };
  },
  pool: ({ results }) => summed({ due: 0, kept: 0 }, results),
  figures: {},
};

/** Asks at every call whether the context still holds the error that stands. */
export interface LastErrorProbe {
  /** A call before the message at `ordinal`, each that was sent; `null` for a context that could not be sent and so holds nothing. */
  atCall(ordinal: number, shown: ShownContext | null, counts?: "unasked"): void;
  result(): LastErrorCount;
}

/**
 * The last error over one replay. A message that holds it is looked for once, from the newest back, and again when that one has left; while none
 * holds it, only what enters the context is looked at.
 */
export function createLastErrorProbe({ events, isIn }: Pick<LastErrors, "events" | "isIn">): LastErrorProbe {
  let standing: number | null = null;
  let soughtError: number | null = null;
  let holder: Message | null = null;
  let next = 0;
  let due = 0;
  let kept = 0;
  const seek = (error: number, { messages, removed, added }: ShownContext) => {
    const goesOn = error === soughtError && (holder === null || !removed.includes(holder));
    soughtError = error;
    if (!goesOn) holder = newestThat(messages.slice(), (message) => isIn(error, message));
    else holder ??= newestThat(added, (message) => isIn(error, message));
  };
  return {
    atCall(ordinal, shown, counts) {
      for (let event = events[next]; event !== undefined && event.ordinal < ordinal; event = events[next]) {
        standing = event.error;
        next += 1;
      }
      if (standing === null) {
        soughtError = null;
        return;
      }
      if (counts !== "unasked") due += 1;
      if (shown === null) return;
      seek(standing, shown);
      if (holder !== null && counts !== "unasked") kept += 1;
    },
    result: () => ({ due, kept }),
  };
}

function newestThat(messages: readonly Message[], holds: (message: Message) => boolean): Message | null {
  return messages.findLast(holds) ?? null;
}
