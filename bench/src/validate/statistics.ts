import { originOf } from "./origin.ts";

/** A figure with the middle 95 % of what it is over resampled repositories; without an interval if there are too few owners. */
export interface Estimate {
  readonly value: number | null;
  readonly interval: Interval | null;
  readonly repositories: number;
  readonly owners: number;
}

/** The ends of an interval, both included. */
export interface Interval {
  readonly from: number;
  readonly through: number;
}

/** A figure over items that follows from sums of counts: so whole repositories can be drawn without looking at their items again. */
export interface Statistic<Item> {
  /** Counts that an item adds to. */
  readonly width: number;
  add(item: Item, sums: Float64Array): void;
  /** `null` if the sums say nothing. */
  figure(sums: Float64Array): number | null;
}

/** Fewer owners than this say nothing about owners that were not seen (docs/protocol.md). */
export const FEWEST_OWNERS = 8;

const DRAWS = 10_000;
const TAIL_RATIO = 0.025;

/** If more draws than this have no figure, an interval of the others would be too narrow; chosen. */
const MOST_EMPTY_RATIO = 0.025;

/** An item of a recorded session, which is known by its name. */
export interface InSession {
  readonly session: string;
}

/**
 * A statistic with a bootstrap interval: whole repositories are drawn with replacement. Deterministic. Time is linear in items, and in draws ×
 * repositories × counts.
 */
export function clusteredEstimate<Item>(items: readonly (Item & InSession)[], statistic: Statistic<Item>): Estimate {
  const { width, add, figure } = statistic;
  const clusters = new Map<string, Float64Array>();
  const owners = new Set<string>();
  const whole = new Float64Array(width);
  for (const item of items) {
    const { repository, owner } = originOf(item.session);
    const sums = clusters.get(repository) ?? new Float64Array(width);
    clusters.set(repository, sums);
    owners.add(owner);
    add(item, sums);
    add(item, whole);
  }
  const value = figure(whole);
  const isKnowable = owners.size >= FEWEST_OWNERS && value !== null;
  const interval = isKnowable ? resampled([...clusters.values()], { width, figure }) : null;
  return { value, interval, repositories: clusters.size, owners: owners.size };
}

function resampled(
  clusters: readonly Float64Array[],
  { width, figure }: Pick<Statistic<never>, "width" | "figure">,
): Interval | null {
  const random = generator();
  const sums = new Float64Array(width);
  const drawn: number[] = [];
  for (let draw = 0; draw < DRAWS; draw++) {
    sums.fill(0);
    for (let place = 0; place < clusters.length; place++) {
      const cluster = clusters[Math.floor(random() * clusters.length)] ?? sums;
      for (let count = 0; count < width; count++) sums[count] = (sums[count] ?? 0) + (cluster[count] ?? 0);
    }
    const value = figure(sums);
    if (value !== null) drawn.push(value);
  }
  if (drawn.length < DRAWS * (1 - MOST_EMPTY_RATIO)) return null;
  const sorted = drawn.toSorted((a, b) => a - b);
  const tail = Math.floor(sorted.length * TAIL_RATIO);
  const from = sorted[tail];
  const through = sorted[sorted.length - 1 - tail];
  return from === undefined || through === undefined ? null : { from, through };
}

/** A linear congruential generator (Numerical Recipes' constants), 0 up to 1. */
function generator(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The mean of a number over items. */
export function meanOver<Item>(numberOf: (item: Item) => number): Statistic<Item> {
  return {
    width: 2,
    add(item, sums) {
      sums[0] = (sums[0] ?? 0) + numberOf(item);
      sums[1] = (sums[1] ?? 0) + 1;
    },
    figure: ([sum, count]) => ratioOf(sum, count),
  };
}

/** One number by another; `null` if there is nothing to divide by. */
export function ratioOf(numerator: number | null | undefined, denominator: number | null | undefined): number | null {
  if (numerator === null || numerator === undefined || denominator === null || denominator === undefined) return null;
  return denominator === 0 ? null : numerator / denominator;
}
