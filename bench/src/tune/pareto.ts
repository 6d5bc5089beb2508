/** What something costs and what it keeps. */
export interface CostAndGain {
  readonly cost: number;
  readonly gain: number;
}

/** Those that no other beats in one without losing in the other, cheapest first; of equals the first. */
export function paretoFront<Entry extends CostAndGain>(entries: readonly Entry[]): readonly Entry[] {
  const cheapestFirst = entries.toSorted((a, b) => a.cost - b.cost || b.gain - a.gain);
  let best = Number.NEGATIVE_INFINITY;
  return cheapestFirst.filter(({ gain }) => {
    if (gain <= best) return false;
    best = gain;
    return true;
  });
}
