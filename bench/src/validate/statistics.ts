/** A figure with the middle 95 % of what it is over resampled clusters; without an interval if there are too few of them. */
export interface Estimate {
  readonly value: number | null;
  readonly interval: { readonly from: number; readonly through: number } | null;
  readonly clusters: number;
}

/** Fewer owners than this say nothing about owners that were not seen (docs/protocol.md). */
export const FEWEST_CLUSTERS = 8;

const DRAWS = 10_000;
const TAIL_RATIO = 0.025;

/**
 * A statistic over items with a bootstrap interval: whole clusters are drawn with replacement, as items of one cluster are not independent of each
 * other. Deterministic. Time is linear in draws × items.
 */
export function clusteredEstimate<Item>(
  items: readonly Item[],
  clusterOf: (item: Item) => string,
  statistic: (items: readonly Item[]) => number | null,
): Estimate {
  const clusters = new Map<string, Item[]>();
  for (const item of items) {
    const cluster = clusters.get(clusterOf(item));
    if (cluster === undefined) clusters.set(clusterOf(item), [item]);
    else cluster.push(item);
  }
  const groups = [...clusters.values()];
  const value = statistic(items);
  if (groups.length < FEWEST_CLUSTERS || value === null) return { value, interval: null, clusters: groups.length };
  const random = generator();
  const drawn: number[] = [];
  for (let draw = 0; draw < DRAWS; draw++) {
    const sample = groups.flatMap(() => groups[Math.floor(random() * groups.length)] ?? []);
    const figure = statistic(sample);
    if (figure !== null) drawn.push(figure);
  }
  const sorted = drawn.toSorted((a, b) => a - b);
  const tail = Math.floor(sorted.length * TAIL_RATIO);
  const from = sorted[tail];
  const through = sorted[sorted.length - 1 - tail];
  return { value, interval: from === undefined || through === undefined ? null : { from, through }, clusters: groups.length };
}

/** A linear congruential generator (Numerical Recipes' constants), 0 up to 1. */
function generator(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Something that was predicted: what a measure said, and whether it came about. */
export interface Scored {
  readonly score: number;
  readonly happened: boolean;
}

/**
 * Area under the receiver operating characteristic: how often a case that came about has a higher score than one that did not; equal scores
 * count a half (Mann and Whitney, 1947). `null` if all or none came about.
 */
export function areaUnderCurve(cases: readonly Scored[]): number | null {
  const sorted = cases.toSorted((a, b) => a.score - b.score);
  const happened = cases.filter((each) => each.happened).length;
  const others = cases.length - happened;
  if (happened === 0 || others === 0) return null;
  let rankSum = 0;
  for (let from = 0; from < sorted.length; ) {
    let through = from;
    while (sorted[through + 1]?.score === sorted[from]?.score) through += 1;
    const meanRank = (from + through) / 2 + 1;
    for (let place = from; place <= through; place++) if (sorted[place]?.happened === true) rankSum += meanRank;
    from = through + 1;
  }
  return (rankSum - (happened * (happened + 1)) / 2) / (happened * others);
}
