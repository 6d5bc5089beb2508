import { createRandom, type Interval } from "@plimsoll/bench/extend";

/** A figure over clusters, each counted as often as its weight says; `null` if it cannot be had. */
export type Weighted = (weights: Float64Array) => number | null;

/** A figure with the middle 95 % of what it is over resampled clusters. */
export interface Resampled {
  readonly value: number | null;
  /** `null` if too many draws have no figure. */
  readonly interval: Interval | null;
  readonly clusters: number;
}

/** How often intervals are drawn, and data sets made for a power. */
export interface Effort {
  readonly draws: number;
  readonly simulations: number;
  readonly simulatedDraws: number;
}

/** The effort of reported figures (protocol); chosen: the ends of an interval and a power are then known to two digits. */
export const REPORTED: Effort = { draws: 4000, simulations: 300, simulatedDraws: 300 };

/** If more draws than this have no figure, the interval of the others would be too narrow (the bench's own bound). */
const MOST_EMPTY_RATIO = 0.025;

const TAIL_RATIO = 0.025;

/** A figure with a percentile bootstrap over whole clusters, drawn with replacement. The same each time. */
export function resampled(
  clusters: number,
  figure: Weighted,
  draws: number = REPORTED.draws,
  random: () => number = createRandom(),
): Resampled {
  const weights = new Float64Array(clusters).fill(1);
  const value = figure(weights);
  const drawn: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    weights.fill(0);
    for (let place = 0; place < clusters; place++) {
      const chosen = Math.floor(random() * clusters);
      weights[chosen] = (weights[chosen] ?? 0) + 1;
    }
    const own = figure(weights);
    if (own !== null && Number.isFinite(own)) drawn.push(own);
  }
  const sorted = Float64Array.from(drawn).sort();
  const tail = Math.floor(sorted.length * TAIL_RATIO);
  const [from, through] = [sorted[tail], sorted[sorted.length - 1 - tail]];
  const isKnown = value !== null && drawn.length >= draws * (1 - MOST_EMPTY_RATIO);
  const interval = isKnown && from !== undefined && through !== undefined ? { from, through } : null;
  return { value, interval, clusters };
}

/** Numbers the clusters of items from zero: the number of each item's, and how many there are. */
export function numbered(names: readonly string[]): { readonly of: readonly number[]; readonly count: number } {
  const known = new Map<string, number>();
  const of = names.map((name) => {
    const number = known.get(name) ?? known.size;
    known.set(name, number);
    return number;
  });
  return { of, count: known.size };
}

/** Items by what they have in common, in their order. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const known = groups.get(keyOf(item));
    if (known === undefined) groups.set(keyOf(item), [item]);
    else known.push(item);
  }
  return groups;
}

/** A number about zero with a spread of one: twelve even ones less six (Irwin–Hall), which a plain generator can do. */
export function normal(random: () => number): number {
  let sum = -6;
  for (let draw = 0; draw < 12; draw++) sum += random();
  return sum;
}
