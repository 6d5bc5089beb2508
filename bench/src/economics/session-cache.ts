import type { CacheRules } from "@plimsoll/core/extend";
import type { ModelCatalog } from "@plimsoll/providers";
import type { SizeJudge } from "../size-judge/size-judge.ts";
import { NO_SIGNS, type RecordedCache, recordedCache } from "./recorded-cache.ts";

/** How the prompt cache of one session works: its models' rules, with what the recording tells of it. */
export interface SessionCache {
  rulesFor(modelId: string): CacheRules;
  /** A prefix that was read even by the session's coldest call: others keep it warm. 0 if a call read nothing. */
  readonly warmBaseTokens: number;
  /** False if the recording reports reads and never a write: whoever served it charged new text as input. */
  readonly countsWrites: boolean;
  /** Traces of the cache in its calls. */
  readonly recorded: RecordedCache;
}

/** The longer of the two times that a write may live. */
const ONE_HOUR_MS = 3_600_000;

/** The same cache by its rules alone: what would be computed if the recording showed nothing but the time that its agent asked for. */
export function ruledCache(cache: SessionCache): SessionCache {
  return { ...cache, recorded: NO_SIGNS, warmBaseTokens: 0 };
}

/** The cache of a recorded session. If its agent paid for writes that live an hour, they live an hour. */
export function sessionCache(sizeJudge: SizeJudge, catalog: Pick<ModelCatalog, "cacheRulesOf">): SessionCache {
  const inputs = sizeJudge.calls.flatMap((call) => (call.reportedTokens === null ? [] : [call.usage.usage.input]));
  const livesAnHour = inputs.some((input) => (input.cacheWriteOneHourTokens ?? 0) > 0);
  const reads = inputs.map((input) => input.cacheReadTokens ?? 0);
  const hasReads = reads.some((tokens) => tokens > 0);
  // They are asked for at every call.
  const knownRules = new Map<string, CacheRules>();
  const rulesFor = (modelId: string): CacheRules => {
    const known = knownRules.get(modelId);
    if (known !== undefined) return known;
    const own = catalog.cacheRulesOf(modelId);
    const rules = livesAnHour ? livingFor(own, ONE_HOUR_MS) : own;
    knownRules.set(modelId, rules);
    return rules;
  };
  return {
    rulesFor,
    warmBaseTokens: reads.reduce((least, read) => Math.min(least, read), reads[0] ?? 0),
    countsWrites: !hasReads || inputs.some((input) => (input.cacheWriteTokens ?? 0) > 0),
    recorded: recordedCache(sizeJudge),
  };
}

/** Written out: each spread would have a form of its own, and what reads rules of many forms is slow. */
function livingFor({ minimumTokens, stepTokens }: CacheRules, timeToLiveMs: number): CacheRules {
  return { minimumTokens, stepTokens, timeToLiveMs };
}
