/** A label beside a mark. */
export interface LabelPlace {
  readonly x: number;
  readonly y: number;
}

/** Labels closer than this, in both directions, would run into each other (chosen: the height and a usual length of one). */
const LINE_PIXELS = 12.5;
const REACH_PIXELS = 120;

/** Moves labels down until none covers another, from the top; `lowest` is where they must end. */
export function spreadLabels(places: readonly LabelPlace[], lowest: number): readonly LabelPlace[] {
  const order = [...places.keys()].toSorted((a, b) => (places[a]?.y ?? 0) - (places[b]?.y ?? 0));
  const moved = new Map<number, LabelPlace>();
  for (const index of order) {
    const place = places[index];
    if (place === undefined) continue;
    const taken = [...moved.values()].filter((other) => Math.abs(other.x - place.x) < REACH_PIXELS);
    let y = place.y;
    for (const other of taken.toSorted((a, b) => a.y - b.y)) if (Math.abs(other.y - y) < LINE_PIXELS) y = other.y + LINE_PIXELS;
    moved.set(index, { x: place.x, y: Math.min(y, lowest) });
  }
  return places.map((place, index) => moved.get(index) ?? place);
}
