/** Each number as the difference to the one before: shorter to write down if numbers follow each other. */
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

/** Texts that come often, each written down once. */
export interface TextTable {
  /** The text's number. */
  place(text: string): number;
  all(): readonly string[];
}

/** A table without texts. */
export function createTextTable(): TextTable {
  const places = new Map<string, number>();
  return {
    place: (text) => {
      const known = places.get(text);
      if (known !== undefined) return known;
      places.set(text, places.size);
      return places.size - 1;
    },
    all: () => [...places.keys()],
  };
}
