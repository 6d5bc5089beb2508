import type { CallPoint } from "../results.ts";

/** How much of a report its page holds. The JSON report always has all of it. */
export interface DetailLevel {
  /** Points of a line; a few more if many calls compacted. */
  readonly chartPoints: number;
  /** Calls at which the context is taken apart. */
  readonly compositionSamples: number;
  /** Characters of a summary. */
  readonly summaryChars: number;
  /** References needed later that are named for each compaction; all are counted. */
  readonly examples: number;
}

/**
 * From all to least, chosen so that each is about two thirds of the one before. Whatever the level, every compaction of every row can be
 * opened, and every call with a compaction is on its line.
 */
export const DETAIL_LEVELS: readonly DetailLevel[] = [
  { chartPoints: 800, compositionSamples: 48, summaryChars: 400, examples: 6 },
  { chartPoints: 600, compositionSamples: 48, summaryChars: 200, examples: 6 },
  { chartPoints: 400, compositionSamples: 32, summaryChars: 100, examples: 4 },
  { chartPoints: 300, compositionSamples: 24, summaryChars: 0, examples: 3 },
  { chartPoints: 200, compositionSamples: 16, summaryChars: 0, examples: 1 },
  { chartPoints: 100, compositionSamples: 12, summaryChars: 0, examples: 0 },
];

/** Says which details a level leaves out; `null` if none. */
export function leftOut(level: DetailLevel): string | null {
  const [all] = DETAIL_LEVELS;
  if (all === undefined || level === all) return null;
  const summaries =
    level.summaryChars === 0 ? "no text of summaries" : `the first ${level.summaryChars} characters of summaries`;
  const examples = level.examples === 0 ? "no references" : `${level.examples} references needed later`;
  return `To stay small this page holds ${summaries}, and ${examples} for each compaction; lines have about ${level.chartPoints} points. The JSON report has everything.`;
}

/**
 * At most `maximumPoints` points in their order (a handful more if many calls compacted or overflowed): of each stretch of calls the
 * lowest and the highest, so that peaks and cuts stay; every call with a compaction stays too, and the first and last.
 * An overflow stays if it is its stretch's highest point. Short series come back unchanged.
 */
export function downsample(series: readonly CallPoint[], maximumPoints: number): readonly CallPoint[] {
  if (series.length <= maximumPoints) return series;
  const stretches = Math.max(1, Math.floor(maximumPoints / 2) - 1);
  const kept = new Set<number>([0, series.length - 1]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * series.length) / stretches);
    const to = Math.floor(((stretch + 1) * series.length) / stretches);
    for (const index of extremes(series, from, to)) kept.add(index);
  }
  return series.filter((point, index) => kept.has(index) || point.compactions > 0);
}

/** Indexes of the lowest and the highest point of a stretch. */
function extremes(series: readonly CallPoint[], from: number, to: number): readonly [number, number] {
  let lowest = from;
  let highest = from;
  for (let index = from; index < to; index++) {
    const tokens = series[index]?.promptTokens ?? 0;
    if (tokens < (series[lowest]?.promptTokens ?? 0)) lowest = index;
    if (tokens > (series[highest]?.promptTokens ?? 0)) highest = index;
  }
  return [lowest, highest];
}
