import type { CallPoint } from "../results.ts";

/**
 * At most `maximumPoints` points in their order (a handful more where many calls compacted or overflowed): of each stretch of calls the
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
