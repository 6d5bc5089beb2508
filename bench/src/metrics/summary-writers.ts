import { z } from "zod";
import type { ReplayedCall, SummaryWriter } from "../drive/replayed-call.ts";
import { summed } from "../statistics.ts";
import type { Metric, Recorder } from "./metric.ts";

/** Requests for summaries by their writer. A long history takes several; the last steps of the fallback need no writer. */
export interface SummaryWriterCounts {
  readonly digest: number;
  /** The recorded agent's own, as it was. */
  readonly recorded: number;
  /** The recorded agent's own, with a digest of the messages after it. */
  readonly recordedAndDigest: number;
  readonly model: number;
  readonly failed: number;
}

const count = z.int().nonnegative();

/** Sums over the sessions. A line of text says all that a reader must know of them, so they have no column. */
export const SUMMARIES: Metric<"summaries", SummaryWriterCounts, SummaryWriterCounts, never> = {
  id: "summaries",
  schema: z.strictObject({ digest: count, recorded: count, recordedAndDigest: count, model: count, failed: count }),
  measure: createSummaryWriters,
  pool: ({ results }) => addedWriters(results),
  figures: {},
};

/** Adds counts of requests up. */
export function addedWriters(counts: readonly SummaryWriterCounts[]): SummaryWriterCounts {
  return summed({ digest: 0, recorded: 0, recordedAndDigest: 0, model: 0, failed: 0 }, counts);
}

function createSummaryWriters(): Recorder<SummaryWriterCounts, ReplayedCall> {
  const total: Record<SummaryWriter, number> = { digest: 0, recorded: 0, "recorded-and-digest": 0, model: 0, nobody: 0 };
  return {
    add: ({ summaries }) => {
      for (const { writtenBy } of summaries) total[writtenBy] += 1;
    },
    result: () => ({
      digest: total.digest,
      recorded: total.recorded,
      recordedAndDigest: total["recorded-and-digest"],
      model: total.model,
      failed: total.nobody,
    }),
  };
}
