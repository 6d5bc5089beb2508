import { type Message, type SessionEntry, toolCallsOf } from "@plimsoll/core";
import { z } from "zod";
import type { ContextChanges } from "../grounding/context-changes.ts";
import { summed } from "../statistics.ts";
import type { Metric } from "./metric.ts";

/** Touches of files that an earlier call had read, and those of them whose latest reading is no longer in the context. */
export interface RereadRisk {
  readonly touches: number;
  readonly atRisk: number;
}

/** Touches whose reading is gone, pooled over all touches. */
export const REREADS: Metric<"rereads", RereadRisk, RereadRisk, never> = {
  id: "rereads",
  schema: z.strictObject({ touches: z.int().nonnegative(), atRisk: z.int().nonnegative() }),
  measure: ({ session }) => {
    const probe = createRereadProbe(session.entries);
    return {
      add: ({ reply, shown }) => {
        if (reply !== null) probe.atCall(reply, shown);
      },
      follow: ({ reply, shown }) => {
        if (reply !== null) probe.atCall(reply, shown, "unasked");
      },
      result: probe.result,
    };
  },
  pool: ({ results }) => summed({ touches: 0, atRisk: 0 }, results),
  figures: {},
};

/** Asks at every reply that touches a file again whether what was last read of it still stands in the context. */
export interface RereadProbe {
  /** A call with what came into its context and left it since the last one that was sent; `null` for one that could not be sent. */
  atCall(reply: Message, changes: ContextChanges | null, counts?: "unasked"): void;
  result(): RereadRisk;
}

/**
 * Re-read risk over one replay: of the touches of files that an earlier call had read, those whose latest reading is no longer in the
 * context as it was recorded. An agent that needs it has to read again; open loop, so it is a risk and no count of readings.
 */
export function createRereadProbe(entries: readonly SessionEntry[]): RereadProbe {
  const resultOf = new Map<string, Message>();
  for (const entry of entries) {
    if (entry.type === "message" && entry.message.role === "tool-result") resultOf.set(entry.message.callId, entry.message);
  }
  const shown = new Set<Message>();
  const latestReading = new Map<string, Message>();
  const count = { touches: 0, atRisk: 0 };
  return {
    atCall(reply, changes, counts) {
      for (const message of changes?.removed ?? []) shown.delete(message);
      for (const message of changes?.added ?? []) shown.add(message);
      for (const call of toolCallsOf(reply)) {
        for (const { path, access } of call.paths) {
          const reading = latestReading.get(path);
          const isTouched = reading !== undefined && counts !== "unasked";
          if (isTouched) count.touches += 1;
          if (isTouched && (changes === null || !shown.has(reading))) count.atRisk += 1;
          const result = resultOf.get(call.callId);
          if (access === "read" && result !== undefined) latestReading.set(path, result);
        }
      }
    },
    result: () => ({ ...count }),
  };
}
