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
