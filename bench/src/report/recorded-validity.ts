import type { BenchReport, CacheValidity, ReplayRow, SessionDescription } from "../results.ts";
import { formatPercent } from "./figures.ts";

/** One recording against the replay of its own requests. */
export interface RecordedValidity {
  readonly session: SessionDescription;
  readonly promptTokens: Compared | null;
  readonly cacheReads: Compared | null;
  readonly cacheWrites: Compared | null;
  readonly usd: Compared | null;
  /** What explains most of the difference, where one of them exceeds 5 %. */
  readonly cause: string | null;
}

/** Recordings that are off by more are listed (the bar that every file is held against), in percent. */
export const LISTED_ERROR_PERCENT = 5;

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
    const usd = compared(session.statedCostUsd, metrics?.cost.withCacheUsd ?? null);
    const isDearer = Math.abs(usd?.errorPercent ?? 0) > LISTED_ERROR_PERCENT;
    return [
      {
        session,
        promptTokens: compared(session.sumReportedPromptTokens, metrics?.economy.promptTokens ?? null),
        cacheReads: compared(cache?.reportedReadTokens ?? null, cache?.computedReadTokens ?? null),
        cacheWrites: compared(cache?.reportedWriteTokens ?? null, cache?.computedWriteTokens ?? null),
        usd,
        cause: cache?.cause ?? (isDearer ? "the small difference in cache reads, at the price of what is not cached" : null),
      },
    ];
  });
}

function compared(stated: number | null, computed: number | null): Compared | null {
  if (stated === null || computed === null || stated <= 0) return null;
  return { stated, computed, errorPercent: (100 * (computed - stated)) / stated };
}

/** A line for each recording of which something is off by more than 5 %: what, by how much, and why. */
export function listedValidities(
  validities: readonly RecordedValidity[],
  short: (session: string) => string,
): readonly string[] {
  return validities.flatMap(({ session, promptTokens, cacheReads, cacheWrites, usd, cause }) => {
    const parts = [
      ["prompt tokens", promptTokens],
      ["cache reads", cacheReads],
      ["cache writes", cacheWrites],
      ["cost", usd],
    ] as const;
    const off = parts.flatMap(([what, each]) =>
      each !== null && Math.abs(each.errorPercent) > LISTED_ERROR_PERCENT
        ? [`${what} ${signedPercent(each.errorPercent)} %`]
        : [],
    );
    return off.length === 0 ? [] : [`${short(session.session)}: ${off.join(", ")}: ${cause ?? "not explained"}`];
  });
}

function signedPercent(percent: number): string {
  return percent > 0 ? `+${formatPercent(percent)}` : formatPercent(percent);
}
