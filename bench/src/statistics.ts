/** The mean; `null` of nothing. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The largest value; `null` of nothing. */
export function maximumOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((largest, value) => Math.max(largest, value), Number.NEGATIVE_INFINITY);
}

/** The smallest value at or above which lie a share of 1 − `ratio` of the values (nearest rank); `null` of nothing. */
export function quantileOf(values: readonly number[], ratio: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(ratio * sorted.length) - 1)] ?? null;
}

/** Adds records of counts up, figure by figure. `none` names the figures, each of them zero. */
export function summed<Counts extends { readonly [Figure in keyof Counts]: number }>(
  none: Counts,
  all: readonly Counts[],
): Counts;
export function summed(none: Counts, all: readonly Counts[]): Counts {
  const totalOf = (figure: string) => all.reduce((total, counts) => total + (counts[figure] ?? 0), 0);
  return Object.fromEntries(Object.keys(none).map((figure) => [figure, totalOf(figure)]));
}

type Counts = Readonly<Record<string, number>>;

/** The mean by weight of the values that are known; `null` of nothing. */
export function weightedMean(entries: readonly { readonly value: number | null; readonly weight: number }[]): number | null {
  const known = entries.flatMap(({ value, weight }) => (value === null ? [] : [{ value, weight }]));
  const total = known.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? null : known.reduce((sum, { value, weight }) => sum + value * weight, 0) / total;
}

/** `part / whole` in percent; `null` if there is nothing to divide by. */
export function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : 100 * (part / whole);
}

/** A ratio in percent. */
export function inPercent(ratio: number | null | undefined): number | null {
  return ratio === null || ratio === undefined ? null : 100 * ratio;
}
