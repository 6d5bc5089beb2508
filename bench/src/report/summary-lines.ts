import { addedWriters } from "../metrics/summary-writers.ts";
import type { BenchReport, SummaryWriterCounts } from "../results.ts";
import { formatCount, formatNumberOf } from "./figures.ts";

/** What a reader must know of summaries that the digest did not write alone: a line a policy. Nothing for a run of digests. */
export function summaryLines({ summarizer, policies, rows }: BenchReport): readonly string[] {
  if (summarizer === "digest") return [];
  return policies.flatMap(({ name }) => {
    const counts = rows.flatMap(({ policy, metrics }) => (policy === name && metrics !== null ? [metrics.summaries] : []));
    const total = addedWriters(counts);
    const asked = Object.values(total).reduce((sum, count) => sum + count, 0);
    if (asked === 0) return [];
    return [`${name}: ${summarizer === "recorded" ? recordedLine(total, asked) : modelLine(summarizer, total, asked)}.`];
  });
}

function recordedLine({ recorded, recordedAndDigest, digest }: SummaryWriterCounts, asked: number): string {
  const own = `${formatCount(recorded + recordedAndDigest)} of ${formatNumberOf(asked, "summary text")} are the recorded agent's own`;
  const partly = recordedAndDigest === 0 ? "" : ` (${formatCount(recordedAndDigest)} with a digest of what came after)`;
  return `${own}${partly}, ${formatNumberOf(digest, "digest")} where it had written none that fits`;
}

function modelLine(summarizer: string, { model, failed }: SummaryWriterCounts, asked: number): string {
  const unusable = failed === 0 ? "" : `, ${formatNumberOf(failed, "answer")} could not be used`;
  return `${formatCount(model)} of ${formatNumberOf(asked, "summary text")} by ${summarizer}${unusable}`;
}
