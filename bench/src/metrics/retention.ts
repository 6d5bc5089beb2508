import { z } from "zod";
import type { Metric } from "./metric.ts";
import type { RetentionMetrics } from "./retention-probe.ts";

const count = z.int().nonnegative();
const retentionCount = z.strictObject({
  uses: count,
  recalled: count,
  evidenced: count,
  sourceEvidenced: count,
  behindHandle: count,
});
const fileCount = z.strictObject({ files: count, named: count });

/** Retention at use. */
export const RETENTION: Metric<"retention", RetentionMetrics, null, never> = {
  id: "retention",
  schema: z.strictObject({
    all: retentionCount,
    far: retentionCount,
    compactedAway: retentionCount,
    artifacts: z.strictObject({ read: fileCount, modified: fileCount }),
  }),
  measure: ({ retention }) => ({ add: () => undefined, result: retention.result }),
  pool: () => null,
  // String recall and single lines decide nothing: lists of names and excerpts of lines maximise them (docs/evidence.md).
  figures: {},
};
