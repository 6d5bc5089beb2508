import type { CountTokens } from "@plimsoll/core/build";
import type { SizedSegment } from "./prompt-cache.ts";
import type { Segment } from "./wire.ts";

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
