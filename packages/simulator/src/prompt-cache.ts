import { createHash } from "node:crypto";
import type { CountTokens, SimulatedCacheRules } from "./options.ts";
import type { Counts, Segment } from "./wire.ts";

/** A segment with its size. */
export interface SizedSegment extends Segment {
  readonly tokens: number;
}

/** How a prompt was served. */
type CacheAnswer = Pick<Counts, "readTokens" | "writeTokens" | "writeOneHourTokens">;

/** A prompt cache: given a prompt, it answers with the part that it had and keeps the rest. */
export interface PromptCache {
  serve(modelId: string, segments: readonly SizedSegment[]): CacheAnswer;
}

/** A provider without a cache. */
export const NO_CACHE: PromptCache = { serve: () => ({ readTokens: 0, writeTokens: 0, writeOneHourTokens: 0 }) };

/** How many segments before a breakpoint are looked at: platform.claude.com/docs/en/build-with-claude/prompt-caching. */
const LOOK_BACK_SEGMENTS = 20;

const HOUR_MS = 3_600_000;

/**
 * A cache with breakpoints, as Anthropic documents it: a prefix is kept at each breakpoint; from each breakpoint up to 20 blocks back are searched
 * for the longest prefix that is alive, whose time to live begins again; the rest through the last breakpoint is written.
 */
export function createBreakpointCache(
  rules: SimulatedCacheRules,
  nowMs: () => number,
  minimumOf: (modelId: string) => number = () => rules.minimumTokens,
): PromptCache {
  const kept = new Map<string, { expiresMs: number; readonly timeToLiveMs: number }>();
  return {
    serve: (modelId, segments) => {
      const now = nowMs();
      const places = placesOf(modelId, segments);
      const minimumTokens = minimumOf(modelId);
      const marks = places.flatMap(({ breakpoint, tokens }, index) =>
        breakpoint === null || tokens < minimumTokens ? [] : [index],
      );
      const isAlive = (index: number) => (kept.get(places[index]?.hash ?? "")?.expiresMs ?? 0) > now;
      const readIndex = Math.max(-1, ...marks.map((mark) => newestAlive(mark, isAlive)));
      for (const place of places.slice(0, readIndex + 1)) {
        const entry = kept.get(place.hash);
        if (entry !== undefined && entry.expiresMs > now) entry.expiresMs = now + entry.timeToLiveMs;
      }
      const written = marks.filter((mark) => mark > readIndex);
      for (const place of written.flatMap((mark) => places[mark] ?? [])) {
        const timeToLiveMs = place.breakpoint === "1h" ? HOUR_MS : rules.timeToLiveMs;
        kept.set(place.hash, { expiresMs: now + timeToLiveMs, timeToLiveMs });
      }
      const readTokens = places[readIndex]?.tokens ?? 0;
      const lastTokens = (indexes: readonly number[]) => places[indexes.at(-1) ?? -1]?.tokens ?? readTokens;
      const writeOneHourTokens = lastTokens(written.filter((mark) => places[mark]?.breakpoint === "1h")) - readTokens;
      return { readTokens, writeTokens: lastTokens(written) - readTokens, writeOneHourTokens };
    },
  };
}

/** The newest place at or before the breakpoint that is alive, within the look-back; -1 for none. */
function newestAlive(mark: number, isAlive: (index: number) => boolean): number {
  for (let index = mark; index >= 0 && index > mark - LOOK_BACK_SEGMENTS; index--) if (isAlive(index)) return index;
  return -1;
}

/**
 * An automatic cache, as OpenAI documents it: the longest prefix of an earlier prompt that is alive is read in whole steps; nothing is reported as
 * written. Prefixes are compared at the ends of segments.
 */
export function createAutomaticCache(rules: SimulatedCacheRules, nowMs: () => number): PromptCache {
  const lastUsedMs = new Map<string, number>();
  return {
    serve: (modelId, segments) => {
      const now = nowMs();
      const places = placesOf(modelId, segments);
      const found = places.findLast(
        ({ hash }) => now - (lastUsedMs.get(hash) ?? Number.NEGATIVE_INFINITY) < rules.timeToLiveMs,
      );
      const steppedTokens = Math.floor((found?.tokens ?? 0) / rules.stepTokens) * rules.stepTokens;
      for (const { hash } of places) lastUsedMs.set(hash, now);
      return { readTokens: steppedTokens < rules.minimumTokens ? 0 : steppedTokens, writeTokens: 0, writeOneHourTokens: 0 };
    },
  };
}

/** The places in a prompt behind each segment: the hash of all before it, and their tokens. */
function placesOf(modelId: string, segments: readonly SizedSegment[]) {
  let hash = modelId;
  let tokens = 0;
  return segments.map((segment) => {
    hash = createHash("sha256").update(hash).update("\n").update(segment.text).digest("base64");
    tokens += segment.tokens;
    return { hash, tokens, breakpoint: segment.breakpoint };
  });
}

/** How many texts the counts are remembered of: some sessions' worth; chosen. */
const MAXIMUM_REMEMBERED = 20_000;

/** Gives segments their sizes. Counts are remembered by text, since every request sends the ones before it again. */
export function createSizer(countTokens: CountTokens, factorRatio: number) {
  const remembered = new Map<string, number>();
  const tokensOf = (text: string): number => {
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const tokens = Math.ceil(countTokens(text) * factorRatio);
    if (remembered.size >= MAXIMUM_REMEMBERED) remembered.clear();
    remembered.set(text, tokens);
    return tokens;
  };
  return {
    textTokens: (text: string): number => tokensOf(text),
    sized: (segments: readonly Segment[]): readonly SizedSegment[] =>
      segments.map((segment) => ({ ...segment, tokens: tokensOf(segment.text) + segment.extraTokens })),
  };
}

/** Four UTF-16 units a token, rounded up. */
export function countByLength(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The sum of the sizes. */
export function totalTokens(segments: readonly SizedSegment[]): number {
  return segments.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The segments without the oldest messages that do not fit, as servers do it that say nothing; the newest segment always stays. */
export function truncatedSegments(segments: readonly SizedSegment[], roomTokens: number): readonly SizedSegment[] {
  let excessTokens = totalTokens(segments) - roomTokens;
  return segments.filter((segment, index) => {
    if (excessTokens <= 0 || segment.isOverhead || index === segments.length - 1) return true;
    excessTokens -= segment.tokens;
    return false;
  });
}
