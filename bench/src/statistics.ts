import { type Origin, originOf } from "./origin.ts";

/** Adds one figure of each up. */
export function sumOf<Each>(all: readonly Each[], of: (each: Each) => number): number {
  return all.reduce((total, each) => total + of(each), 0);
}

/** The mean; `null` of nothing. */
export function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean of the items' values that are known; `null` of nothing. Makes no list: a resampled choice asks for it often. */
export function meanKnown<Item>(items: readonly Item[], known: (item: Item, place: number) => number | null): number | null {
  let [sum, count, place] = [0, 0, 0];
  for (const item of items) {
    const value = known(item, place);
    place += 1;
    if (value === null) continue;
    sum += value;
    count += 1;
  }
  return count === 0 ? null : sum / count;
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

/** Stretches of `true`, as pairs of a first index and a length. */
export function runsOf(flags: readonly boolean[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const [index, flag] of flags.entries()) {
    if (!flag) continue;
    const last = found.at(-1);
    if (last !== undefined && last[0] + last[1] === index) last[1]++;
    else found.push([index, 1]);
  }
  return found;
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

/** A mean over items, of a number of each; `figure` is made of it at the end. */
interface Statistic<Item> {
  of(item: Item): number;
  figure(mean: number): number;
}

/** The owners of items that belong to sessions. */
export function ownersOf(items: readonly InSession[]): ReadonlySet<string> {
  return new Set(items.map(({ session, lineage = session, project }) => originOf(lineage, project).owner));
}

/** Fewer owners than this say nothing about owners that were not seen (docs/evidence.md). */
export const FEWEST_OWNERS = 8;

const DRAWS = 10_000;
const TAIL_RATIO = 0.025;

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
 * in draws × repositories.
 */
export function clusteredEstimate<Item>(
  items: readonly (Item & InSession)[],
  { of, figure }: Statistic<Item>,
  clusterOf: (session: string, project?: string) => Origin = originOf,
): Estimate {
  const clusters = new Map<string, { sum: number; count: number }>();
  const owners = new Set<string>();
  let total = 0;
  for (const item of items) {
    const { repository, owner } = clusterOf(item.lineage ?? item.session, item.project);
    const { sum, count } = clusters.get(repository) ?? { sum: 0, count: 0 };
    clusters.set(repository, { sum: sum + of(item), count: count + 1 });
    owners.add(owner);
    total += of(item);
  }
  const interval = owners.size < FEWEST_OWNERS ? null : resampled([...clusters.values()]);
  return {
    value: items.length === 0 ? null : figure(total / items.length),
    interval: interval === null ? null : { from: figure(interval.from), through: figure(interval.through) },
    repositories: clusters.size,
    owners: owners.size,
  };
}

/** The middle 95% of the means of clusters that are drawn with replacement. */
function resampled(clusters: readonly { readonly sum: number; readonly count: number }[]): Interval | null {
  const random = createRandom();
  const means = new Float64Array(DRAWS).map(() => {
    let [sum, count] = [0, 0];
    for (let place = 0; place < clusters.length; place++) {
      const drawn = clusters[Math.floor(random() * clusters.length)];
      sum += drawn?.sum ?? 0;
      count += drawn?.count ?? 0;
    }
    return sum / count;
  });
  const sorted = means.sort();
  const tail = Math.floor(DRAWS * TAIL_RATIO);
  const [from, through] = [sorted[tail], sorted[DRAWS - 1 - tail]];
  return from === undefined || through === undefined ? null : { from, through };
}

/** Makes the statistic "mean of a number over items" for {@link clusteredEstimate}. */
export function meanOver<Item>(numberOf: (item: Item) => number): Statistic<Item> {
  return { of: numberOf, figure: (mean) => mean };
}

/** The geometric mean of a number above zero over items. */
export function geometricMeanOver<Item>(numberOf: (item: Item) => number): Statistic<Item> {
  return { of: (item) => Math.log(numberOf(item)), figure: Math.exp };
}
