import { sizedPrompts, type WireName } from "@plimsoll/simulator/extend";
import { type CacheRules, type CacheUse, cacheUse } from "../src/economics.ts";

/** Inputs of the formulas of the economics. */
export interface PredictionOptions {
  readonly wireName: WireName;
  readonly tokenFactorRatio: number;
  readonly rules: CacheRules;
}

/** Predicts each request's use of the cache by core's formulas, from the part that it shares with the request before it. */
export function predictedCacheUse(
  bodies: readonly unknown[],
  { wireName, tokenFactorRatio, rules }: PredictionOptions,
): CacheUse[] {
  const prompts = sizedPrompts(wireName, bodies, tokenFactorRatio);
  const totalTokens = (segments: (typeof prompts)[number]) => segments.reduce((sum, { tokens }) => sum + tokens, 0);
  return prompts.map((segments, index) => {
    const promptTokens = totalTokens(segments);
    const before = prompts[index - 1];
    if (before === undefined) return cacheUse({ promptTokens, previous: null, warmBaseTokens: 0 }, rules);
    const end = segments.findIndex((segment, place) => segment.text !== before[place]?.text);
    const sharedTokens = totalTokens(end < 0 ? segments : segments.slice(0, end));
    const abandonedTokens = totalTokens(before) - sharedTokens;
    return cacheUse({ promptTokens, previous: { sharedTokens, abandonedTokens, idleMs: 0 }, warmBaseTokens: 0 }, rules);
  });
}
