/** Each number as the difference to the one before: shorter to write down where numbers follow each other. */
export function stepsOf(values: readonly number[]): readonly number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0));
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
