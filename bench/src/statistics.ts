import { type Origin, originOf } from "./origin.ts";

/** Adds one figure of each up. */
export function sumOf<Each>(all: readonly Each[], of: (each: Each) => number): number {
  return all.reduce((total, each) => total + of(each), 0);
}

/** The mean; `null` of nothing. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The largest value; `null` of nothing. */
export function maximumOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((largest, value) => Math.max(largest, value), Number.NEGATIVE_INFINITY);
}

/** The quantile by nearest rank: the smallest value that at least a share `ratio` (0 to 1) of the values does not exceed; `null` without values. */
export function quantileOf(values: readonly number[], ratio: number): number | null {
  // Plain numbers sort ten times as fast as with a comparison.
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(ratio * sorted.length) - 1)] ?? null;
}

/** Adds records of counts up, figure by figure. `none` names the figures, each of them zero. */
export function summed<Counts extends { readonly [Figure in keyof Counts]: number }>(
  none: Counts,
  all: readonly Counts[],
): Counts;
export function summed(none: Counts, all: readonly Counts[]): Counts {
  return Object.fromEntries(Object.keys(none).map((figure) => [figure, sumOf(all, (counts) => counts[figure] ?? 0)]));
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

/** Makes a source of numbers from 0 up to 1, each time the same sequence: a linear congruential generator (Numerical Recipes' constants). */
export function createRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A figure with its 95% bootstrap interval over repositories. `value` is `null` if there is no evidence for it; `interval` also with fewer than eight repository
 * owners.
 */
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

/** Reduces an item to its origin. */
export function unitOf({ session, lineage, project }: InSession): InSession {
  return { session, ...(lineage !== undefined && { lineage }), ...(project !== undefined && { project }) };
}

/** A figure over items that follows from sums of counts: so whole repositories can be drawn without looking at their items again. */
export interface Statistic<Item> {
  readonly width: number;
  add(item: Item, sums: Float64Array): void;
  /** `null` if the sums say nothing. */
  figure(sums: Float64Array): number | null;
}

/** The owners of items that belong to sessions. */
export function ownersOf(items: readonly InSession[]): ReadonlySet<string> {
  return new Set(items.map(({ session, lineage = session, project }) => originOf(lineage, project).owner));
}

/** Fewer owners than this say nothing about owners that were not seen (docs/evidence.md). */
export const FEWEST_OWNERS = 8;

const DRAWS = 10_000;
const TAIL_RATIO = 0.025;

/** If more draws than this have no figure, an interval of the others would be too narrow; chosen. */
const MOST_EMPTY_RATIO = 0.025;

/** An item of a recorded session, which is known by its name. */
export interface InSession {
  readonly session: string;
  /** The first session of those that share its beginning, from which nothing is drawn apart; its own name if it is left out. */
  readonly lineage?: string;
  /** The project that its log names; left out if it names none. */
  readonly project?: string;
}

/** The items of each lineage together, lineages and items in their order: sessions with a shared beginning are one unit, and count once. */
export function inLineages<Item extends InSession>(items: readonly Item[]): readonly (readonly [Item, ...Item[]])[] {
  const units = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const known = units.get(item.lineage ?? item.session);
    if (known === undefined) units.set(item.lineage ?? item.session, [item]);
    else known.push(item);
  }
  return [...units.values()];
}

/** The geometric mean of numbers above zero; `null` of none. */
export function geometricMeanOf(numbers: readonly number[]): number | null {
  const mean = meanOf(numbers.map(Math.log));
  return mean === null ? null : Math.exp(mean);
}

/**
 * Computes a statistic with a 95% bootstrap interval that draws whole repositories, or other clusters, with replacement. Deterministic. Time is linear in items, and
 * in draws × repositories × counts.
 */
export function clusteredEstimate<Item>(
  items: readonly (Item & InSession)[],
  statistic: Statistic<Item>,
  clusterOf: (session: string, project?: string) => Origin = originOf,
): Estimate {
  const { width, add, figure } = statistic;
  const clusters = new Map<string, Float64Array>();
  const owners = new Set<string>();
  const whole = new Float64Array(width);
  for (const item of items) {
    const { repository, owner } = clusterOf(item.lineage ?? item.session, item.project);
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
  const random = createRandom();
  const sums = new Float64Array(width);
  const drawn = new Float64Array(DRAWS);
  let known = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    sums.fill(0);
    for (let place = 0; place < clusters.length; place++) {
      const cluster = clusters[Math.floor(random() * clusters.length)] ?? sums;
      for (let count = 0; count < width; count++) sums[count] = (sums[count] ?? 0) + (cluster[count] ?? 0);
    }
    const value = figure(sums);
    if (value !== null) drawn[known++] = value;
  }
  if (known < DRAWS * (1 - MOST_EMPTY_RATIO)) return null;
  const sorted = drawn.subarray(0, known).sort();
  const tail = Math.floor(sorted.length * TAIL_RATIO);
  const from = sorted[tail];
  const through = sorted[sorted.length - 1 - tail];
  return from === undefined || through === undefined ? null : { from, through };
}

/** Makes the statistic "mean of a number over items" for {@link clusteredEstimate}; `null` without items. */
export function meanOver<Item>(numberOf: (item: Item) => number): Statistic<Item> {
  return {
    width: 2,
    add(item, sums) {
      sums[0] = (sums[0] ?? 0) + numberOf(item);
      sums[1] = (sums[1] ?? 0) + 1;
    },
    figure: ([sum = 0, count = 0]) => (count === 0 ? null : sum / count),
  };
}

/** The geometric mean of a number above zero over items. */
export function geometricMeanOver<Item>(numberOf: (item: Item) => number): Statistic<Item> {
  const logs = meanOver((item: Item) => Math.log(numberOf(item)));
  const figure: Statistic<Item>["figure"] = (sums) => {
    const mean = logs.figure(sums);
    return mean === null ? null : Math.exp(mean);
  };
  return { ...logs, figure };
}
