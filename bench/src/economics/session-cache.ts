import type { CacheRules } from "@plimsoll/core/internal";
import type { ModelCatalog } from "@plimsoll/providers";
import type { RecordedCall } from "../size-model/recorded-calls.ts";

/** How the prompt cache of one session works: its models' rules, with what the recording tells of it. */
export interface SessionCache {
  rulesFor(modelId: string): CacheRules;
  /** A prefix that was read even by the session's coldest call: others keep it warm. 0 if a call read nothing. */
  readonly warmBaseTokens: number;
}

const ONE_HOUR_MS = 3_600_000;

/** The same cache if nothing in it ever expired. */
export function lastingCache(cache: SessionCache): SessionCache {
  return { ...cache, rulesFor: (modelId) => ({ ...cache.rulesFor(modelId), timeToLiveMs: Number.POSITIVE_INFINITY }) };
}

/** The cache of a recorded session. If its agent paid for writes that live an hour, they live an hour. */
export function sessionCache(calls: readonly RecordedCall[], catalog: ModelCatalog): SessionCache {
  const livesAnHour = calls.some((call) => (call.usage.usage.input.cacheWriteOneHourTokens ?? 0) > 0);
  const reads = calls.flatMap((call) => (call.reportedTokens === null ? [] : [call.usage.usage.input.cacheReadTokens ?? 0]));
  return {
    rulesFor: (modelId) => {
      const rules = catalog.cacheRulesOf(modelId);
      return livesAnHour ? { ...rules, timeToLiveMs: ONE_HOUR_MS } : rules;
    },
    warmBaseTokens: reads.reduce((least, read) => Math.min(least, read), reads[0] ?? 0),
  };
}
