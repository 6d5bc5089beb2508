/** Places, the largest value at the root: of the first `size` of them none is before its parent. */
interface Heap {
  readonly places: Uint32Array;
  readonly values: Float64Array;
  size: number;
}

/**
 * The places of the positive values, the largest first, of equals the last first. What nobody asks for is not sorted: so many
 * values take n steps, and each place that is taken log n.
 */
export function* largestFirst(values: Float64Array): Generator<number, void, undefined> {
  const heap: Heap = { places: new Uint32Array(values.length), values, size: 0 };
  for (const [at, value] of values.entries()) if (value > 0) heap.places[heap.size++] = at;
  for (let at = (heap.size >> 1) - 1; at >= 0; at--) sink(heap, at);
  while (heap.size > 0) {
    yield heap.places[0] ?? 0;
    heap.size -= 1;
    heap.places[0] = heap.places[heap.size] ?? 0;
    sink(heap, 0);
  }
}

function sink({ places, values, size }: Heap, from: number): void {
  const place = places[from] ?? 0;
  let at = from;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= size) break;
    if (child + 1 < size && isBefore(values, places[child + 1] ?? 0, places[child] ?? 0)) child += 1;
    if (!isBefore(values, places[child] ?? 0, place)) break;
    places[at] = places[child] ?? 0;
    at = child;
  }
  places[at] = place;
}

function isBefore(values: Float64Array, a: number, b: number): boolean {
  const first = values[a] ?? 0;
  const second = values[b] ?? 0;
  return first > second || (first === second && a > b);
}
