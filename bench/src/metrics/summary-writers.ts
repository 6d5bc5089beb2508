import type { SummaryWriter } from "../replay/replayed-call.ts";
import type { SummaryWriterCounts } from "../results.ts";
import type { Metric } from "./metric.ts";

/** Who wrote the summaries that were asked for. */
export function createSummaryWriters(): Metric<SummaryWriterCounts> {
  const count: Record<SummaryWriter, number> = { digest: 0, recorded: 0, "recorded-and-digest": 0, model: 0, nobody: 0 };
  return {
    add: ({ summaries }) => {
      for (const { writtenBy } of summaries) count[writtenBy] += 1;
    },
    result: () => ({
      digest: count.digest,
      recorded: count.recorded,
      recordedAndDigest: count["recorded-and-digest"],
      model: count.model,
      failed: count.nobody,
    }),
  };
}
