/**
 * The places of the positive values, the largest first, of equals the last first. What nobody asks for is not sorted: so many
 * values take n steps, and each place that is taken log n.
 */
export function* largestFirst(values: Float64Array): Generator<number, void, undefined> {
  const heap = new Uint32Array(values.length);
  let size = 0;
  for (const [at, value] of values.entries()) if (value > 0) heap[size++] = at;
  const isBefore = (a: number, b: number) => {
    const [first, second] = [values[a] ?? 0, values[b] ?? 0];
    return first > second || (first === second && a > b);
  };
  const sink = (from: number) => {
    const place = heap[from] ?? 0;
    let at = from;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && isBefore(heap[child + 1] ?? 0, heap[child] ?? 0)) child += 1;
      if (!isBefore(heap[child] ?? 0, place)) break;
      heap[at] = heap[child] ?? 0;
      at = child;
    }
    heap[at] = place;
  };
  for (let at = (size >> 1) - 1; at >= 0; at--) sink(at);
  while (size > 0) {
    yield heap[0] ?? 0;
    size -= 1;
    heap[0] = heap[size] ?? 0;
    sink(0);
  }
}
