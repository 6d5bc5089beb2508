import type { BenchReport, CacheValidity, ReplayRow, SessionDescription } from "../results.ts";

/** One recording against the replay of its own requests. */
export interface RecordedValidity {
  readonly session: SessionDescription;
  readonly promptTokens: Compared | null;
  readonly cacheReads: Compared | null;
  readonly cacheWrites: Compared | null;
  readonly usd: Compared | null;
  /** What explains most of the difference in cache reads, where it exceeds 5 %. */
  readonly cause: string | null;
}

/** What a recording states, and what the replay computes. */
export interface Compared {
  readonly stated: number;
  readonly computed: number;
  /** Computed less stated, in percent of stated. */
  readonly errorPercent: number;
}

/** Every recording of the run that reports sizes, in the order of the report. */
export function recordedValidities({ sessions, rows }: BenchReport): readonly RecordedValidity[] {
  // What recorded requests come to does not depend on the window.
  const recorded = new Map<string, ReplayRow>();
  for (const row of rows)
    if (row.policy === "recorded" && row.metrics !== null && !recorded.has(row.session)) recorded.set(row.session, row);
  return sessions.flatMap((session): readonly RecordedValidity[] => {
    if (session.isEstimated) return [];
    const metrics = recorded.get(session.session)?.metrics ?? null;
    const cache: CacheValidity | null = metrics?.cacheValidity ?? null;
    return [
      {
        session,
        promptTokens: compared(session.sumReportedPromptTokens, metrics?.economy.promptTokens ?? null),
        cacheReads: compared(cache?.reportedReadTokens ?? null, cache?.computedReadTokens ?? null),
        cacheWrites: compared(cache?.reportedWriteTokens ?? null, cache?.computedWriteTokens ?? null),
        usd: compared(session.statedCostUsd, metrics?.cost.withCacheUsd ?? null),
        cause: cache?.cause ?? null,
      },
    ];
  });
}

function compared(stated: number | null, computed: number | null): Compared | null {
  if (stated === null || computed === null || stated <= 0) return null;
  return { stated, computed, errorPercent: (100 * (computed - stated)) / stated };
}
