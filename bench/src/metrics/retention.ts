import { z } from "zod";
import { summed } from "../statistics.ts";
import type { Metric } from "./metric.ts";
import type { RetentionCount, RetentionMetrics } from "./retention-probe.ts";

const count = z.int().nonnegative();
const retentionCount = z.strictObject({
  uses: count,
  recalled: count,
  evidenced: count,
  sourceEvidenced: count,
  behindHandle: count,
});
const fileCount = z.strictObject({ files: count, named: count });

const NO_USES: RetentionCount = { uses: 0, recalled: 0, evidenced: 0, sourceEvidenced: 0, behindHandle: 0 };
const NO_FILES = { files: 0, named: 0 };

/** Retention at use, pooled over all uses. */
export const RETENTION: Metric<"retention", RetentionMetrics, RetentionMetrics, never> = {
  id: "retention",
  schema: z.strictObject({
    all: retentionCount,
    far: retentionCount,
    compactedAway: retentionCount,
    artifacts: z.strictObject({ read: fileCount, modified: fileCount }),
  }),
  measure: ({ retention }) => ({ add: () => undefined, result: retention.result }),
  pool: ({ results }) => ({
    all: summed(
      NO_USES,
      results.map(({ all }) => all),
    ),
    far: summed(
      NO_USES,
      results.map(({ far }) => far),
    ),
    compactedAway: summed(
      NO_USES,
      results.map(({ compactedAway }) => compactedAway),
    ),
    artifacts: {
      read: summed(
        NO_FILES,
        results.map(({ artifacts }) => artifacts.read),
      ),
      modified: summed(
        NO_FILES,
        results.map(({ artifacts }) => artifacts.modified),
      ),
    },
  }),
  // String recall and single lines decide nothing: lists of names and excerpts of lines maximise them (docs/evidence.md).
  figures: {},
};
