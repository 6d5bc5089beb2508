import type { BenchReport, CacheValidity } from "../results.ts";

/** How well the cache model reproduces what one recording reports. */
export interface SessionCacheValidity extends CacheValidity {
  readonly session: string;
}

/** The recordings that report cache reads, each once: the window does not matter to recorded requests. */
export function cacheValidities(report: BenchReport): readonly SessionCacheValidity[] {
  const bySession = new Map<string, SessionCacheValidity>();
  for (const { session, metrics } of report.rows) {
    const validity = metrics?.cacheValidity ?? null;
    if (validity !== null && !bySession.has(session)) bySession.set(session, { session, ...validity });
  }
  return [...bySession.values()];
}

/** The middle one of the sessions' errors by size, without the sign; `null` where there are none. */
export function medianErrorPercent(validities: readonly CacheValidity[]): number | null {
  const errors = validities.flatMap(({ errorPercent }) => (errorPercent === null ? [] : [Math.abs(errorPercent)]));
  return errors.toSorted((a, b) => a - b)[Math.floor((errors.length - 1) / 2)] ?? null;
}
