/** Metrics by family; each family is made by the files under metrics/. */
export interface RowMetrics {
  readonly safety: SafetyMetrics;
  readonly economy: EconomyMetrics;
  readonly cost: CostMetrics;
  readonly summaries: SummaryWriterCounts;
  /** On `recorded` alone, where the recording reports cache reads; `null` for every other row. */
  readonly cacheValidity: CacheValidity | null;
  readonly retention: RetentionMetrics;
  /** Source evidence by the compactions since the reference was last said, from 0; steps without a use are left out. */
  readonly decay: readonly DecayStep[];
  readonly obligations: ObligationMetrics;
  readonly rereads: RereadRisk;
  /** On `recorded` alone; `null` for every other policy. */
  readonly calibration: CalibrationMetrics | null;
  readonly work: { readonly charactersScanned: number; readonly messagesVisited: number; readonly tokenizerCalls: number };
}

/** Requests that could not be sent as they were. */
export interface SafetyMetrics {
  readonly calls: number;
  /** Requests above the window, each of them once, whether or not recovery helped. */
  readonly overflowingRequests: number;
  /** Of those, requests that still did not fit after recovery: the session would have ended here. */
  readonly unrecoveredRequests: number;
  /** Requests with a wire violation; must be 0. */
  readonly invalidRequests: number;
  readonly irreducibleRequests: number;
  readonly emergencyCompactions: number;
  readonly smallestHeadroomTokens: number | null;
}

/** What the session cost in tokens. */
export interface EconomyMetrics {
  readonly compactions: number;
  readonly failedCompactions: number;
  readonly promptTokens: number;
  readonly peakPromptTokens: number;
  readonly messagesRemoved: number;
  /** Margin spent: the share of the input budget that was still free when a compaction was made, on average, by the policy's measure. */
  readonly marginSpentRatio: number | null;
}

/**
 * What the session cost under the provider's prices. Requests are charged at the state of their prompt cache, replies as
 * recorded, and each summary as if a model had written it. Dollars are `null` where a model of the session has no price.
 */
export interface CostMetrics {
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly uncachedTokens: number;
  /** Requests that did not begin with all of the request before, while its cache was alive. */
  readonly cacheBreaks: number;
  /** Requests that came after the cache's time to live. */
  readonly cacheExpiries: number;
  readonly replyTokens: number;
  readonly summaryRequests: number;
  readonly summaryPromptTokens: number;
  readonly summaryReplyTokens: number;
  /** Requests, replies and summaries, with the provider's prompt cache, and as if there were none. */
  readonly withCacheUsd: number | null;
  readonly withoutCacheUsd: number | null;
  /** With a prompt cache that never expires: what is left of a policy's gain where a session has no pauses. */
  readonly lastingCacheUsd: number | null;
  /** The same per 100 calls. */
  readonly withCachePer100CallsUsd: number | null;
  readonly withoutCachePer100CallsUsd: number | null;
}

/** Requests for summaries by who wrote them. A long history takes several; the engine's own last rungs ask nobody. */
export interface SummaryWriterCounts {
  readonly digest: number;
  /** The recorded agent's own, as it was. */
  readonly recorded: number;
  /** The recorded agent's own, with a digest of what came after it. */
  readonly recordedAndDigest: number;
  readonly model: number;
  /** A model's answers that could not be used. */
  readonly failed: number;
}

/** Cache reads and writes as a replay of the recorded requests computes them, against what the recording reports. */
export interface CacheValidity {
  readonly reportedReadTokens: number;
  readonly computedReadTokens: number;
  /** Error of the reads. */
  readonly errorPercent: number | null;
  /** What explains most of the difference in reads, where that in reads or writes exceeds 5 %. */
  readonly cause: string | null;
  /** `null` where the recording reports no writes: not every vendor counts them. */
  readonly reportedWriteTokens: number | null;
  /** Of the calls that report writes. */
  readonly computedWriteTokens: number;
  readonly writeErrorPercent: number | null;
}

/** Retention over one set of uses, as counts; a ratio is `n / uses`. */
export interface RetentionCount {
  readonly uses: number;
  /** The string is readable in the context that the policy sent. */
  readonly recalled: number;
  /** A line that stated it is readable. */
  readonly evidenced: number;
  /** The latest line of a human or tool message that stated it is readable. */
  readonly sourceEvidenced: number;
  /** Not readable, but stated in a message whose handle the context names: the model would have to ask for it. */
  readonly behindHandle: number;
}

/** Retention at use, over all uses and over far ones (latest earlier occurrence at least 20,000 tokens back). */
export interface RetentionMetrics {
  readonly all: RetentionCount;
  readonly far: RetentionCount;
  /** Of all uses, those whose every introduction the recorded agent had itself compacted away: it knew them from its summary. */
  readonly compactedAway: RetentionCount;
  readonly artifacts: ArtifactMetrics;
}

/** Files that the session had touched before a call, summed over the calls; a ratio is `named / files`. */
export interface ArtifactCount {
  readonly files: number;
  /** Those whose path the context that the policy sent still names. */
  readonly named: number;
}

/** Artifact recall: files only read so far, and files modified so far. */
export interface ArtifactMetrics {
  readonly read: ArtifactCount;
  readonly modified: ArtifactCount;
}

/** Uses whose reference was last said so many compactions ago; the last step, 5, holds all beyond it. */
export interface DecayStep {
  readonly compactions: number;
  readonly uses: number;
  readonly sourceEvidenced: number;
}

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

/** Touches of files that an earlier call had read, and those of them whose latest reading is no longer in the context. */
export interface RereadRisk {
  readonly touches: number;
  readonly atRisk: number;
}

/** The estimator against what was reported, in percent of the reported prompt. Positive signed error: predicted too much. */
export interface CalibrationMetrics {
  readonly estimator: string;
  readonly calls: number;
  readonly signedPercent: number | null;
  readonly mapePercent: number | null;
  readonly p50Percent: number | null;
  readonly p95Percent: number | null;
  readonly p99Percent: number | null;
  readonly maxPercent: number | null;
  /** The same calls by what had happened before them that no estimator can see; `none` are the calls without such an event. */
  readonly byEvent: readonly CalibrationGroup[];
  /** Share of calls whose report did not exceed the predicted upper bound, and how far above the report it lay on average. */
  readonly upperCoveragePercent: number | null;
  readonly upperMarginPercent: number | null;
}

/** What can happen to a prompt without a message that explains it. */
export type HiddenEvent = "none" | "drop" | "jump" | "after-boundary" | "model-switch";

/** An estimator's error over the calls with one kind of event. */
export interface CalibrationGroup {
  readonly event: HiddenEvent;
  readonly calls: number;
  readonly signedPercent: number | null;
  readonly mapePercent: number | null;
  readonly maxPercent: number | null;
}
