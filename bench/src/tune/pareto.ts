/** A cost, and the gain for it. */
export interface CostAndGain {
  readonly cost: number;
  /** `null` if nothing shows it; it counts as nothing then. */
  readonly gain: number | null;
}

/** Those that no other beats in one without losing in the other, cheapest first; of equals the first. */
export function paretoFront<Entry extends CostAndGain>(entries: readonly Entry[]): readonly Entry[] {
  const cheapestFirst = entries.toSorted((a, b) => a.cost - b.cost || (b.gain ?? 0) - (a.gain ?? 0));
  let best = Number.NEGATIVE_INFINITY;
  return cheapestFirst.filter(({ gain }) => {
    if ((gain ?? 0) <= best) return false;
    best = gain ?? 0;
    return true;
  });
}
