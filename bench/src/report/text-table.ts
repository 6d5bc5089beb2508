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
