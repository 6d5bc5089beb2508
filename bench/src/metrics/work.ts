import { z } from "zod";
import type { ReplayedCall } from "../replay/replayed-call.ts";
import { summed } from "../statistics.ts";
import type { Metric, Recorder } from "./metric.ts";

/** Work of the compactions of a replay. */
export interface WorkMetrics {
  readonly charactersScanned: number;
  readonly messagesVisited: number;
  readonly tokenizerCalls: number;
}

const NONE: WorkMetrics = { charactersScanned: 0, messagesVisited: 0, tokenizerCalls: 0 };

const count = z.int().nonnegative();

/** Sums over the compactions, and over the sessions. For programs alone. */
export const WORK: Metric<"work", WorkMetrics, WorkMetrics, never> = {
  id: "work",
  schema: z.strictObject({ charactersScanned: count, messagesVisited: count, tokenizerCalls: count }),
  measure: createWork,
  pool: ({ results }) => summed(NONE, results),
  figures: {},
};

function createWork(): Recorder<WorkMetrics, ReplayedCall> {
  const total: { -readonly [Figure in keyof WorkMetrics]: number } = { ...NONE };
  return {
    add: ({ compactions }) => {
      for (const { record } of compactions) {
        total.charactersScanned += record.work.charactersScanned;
        total.messagesVisited += record.work.messagesVisited;
        total.tokenizerCalls += record.work.tokenizerCalls;
      }
    },
    result: () => ({ ...total }),
  };
}
