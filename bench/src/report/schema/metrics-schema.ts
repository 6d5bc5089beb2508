import { z } from "zod";
import type { RowMetrics } from "../../results.ts";

const count = z.int().nonnegative();
const figure = z.number().nullable();

const retentionCount = z.strictObject({
  uses: count,
  recalled: count,
  evidenced: count,
  sourceEvidenced: count,
  behindHandle: count,
});

const fileCount = z.strictObject({ files: count, named: count });
const keptCount = z.strictObject({ due: count, kept: count });

const safety = z.strictObject({
  calls: count,
  overflowingRequests: count,
  unrecoveredRequests: count,
  invalidRequests: count,
  irreducibleRequests: count,
  emergencyCompactions: count,
  smallestHeadroomTokens: figure,
});

const economy = z.strictObject({
  compactions: count,
  failedCompactions: count,
  promptTokens: z.number(),
  peakPromptTokens: z.number(),
  messagesRemoved: count,
  marginSpentRatio: figure,
});

const cost = z.strictObject({
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  uncachedTokens: z.number(),
  cacheBreaks: count,
  cacheExpiries: count,
  replyTokens: z.number(),
  summaryRequests: count,
  summaryPromptTokens: z.number(),
  summaryReplyTokens: z.number(),
  withCacheUsd: figure,
  withoutCacheUsd: figure,
  lastingCacheUsd: figure,
  withCachePer100CallsUsd: figure,
  withoutCachePer100CallsUsd: figure,
});

const calibration = z.strictObject({
  estimator: z.string(),
  calls: count,
  signedPercent: figure,
  mapePercent: figure,
  p50Percent: figure,
  p95Percent: figure,
  p99Percent: figure,
  maxPercent: figure,
  byEvent: z
    .array(
      z.strictObject({
        event: z.enum(["none", "drop", "jump", "after-boundary", "model-switch"]),
        calls: count,
        signedPercent: figure,
        mapePercent: figure,
        maxPercent: figure,
      }),
    )
    .readonly(),
  upperCoveragePercent: figure,
  upperMarginPercent: figure,
});

const cacheValidity = z.strictObject({
  reportedReadTokens: z.number(),
  computedReadTokens: z.number(),
  errorPercent: figure,
  cause: z.string().nullable(),
  reportedWriteTokens: figure,
  computedWriteTokens: z.number(),
  writeErrorPercent: figure,
});

/** Schema of {@link RowMetrics}. */
export const metricsSchema: z.ZodType<RowMetrics> = z.strictObject({
  safety,
  economy,
  cost,
  summaries: z.strictObject({ digest: count, recorded: count, recordedAndDigest: count, model: count, failed: count }),
  cacheValidity: cacheValidity.nullable(),
  retention: z.strictObject({
    all: retentionCount,
    far: retentionCount,
    compactedAway: retentionCount,
    artifacts: z.strictObject({ read: fileCount, modified: fileCount }),
  }),
  decay: z.array(z.strictObject({ compactions: count, uses: count, sourceEvidenced: count })).readonly(),
  obligations: z.strictObject({ instructions: keptCount, lastError: keptCount, openTasks: keptCount }),
  rereads: z.strictObject({ touches: count, atRisk: count }),
  calibration: calibration.nullable(),
  work: z.strictObject({ charactersScanned: count, messagesVisited: count, tokenizerCalls: count }),
});
