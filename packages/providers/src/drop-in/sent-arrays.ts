/** Remembers the arrays that were sent in place of whole ones, for callers that go on with the shorter array. */
export interface SentArrays<Item> {
  /** The whole array of one that goes on with what was sent; any other array as it is. */
  wholeOf(items: Item[]): Item[];
  remember(sent: readonly Item[], whole: readonly Item[]): void;
}

/** Nothing sent yet. Arrays are known by the objects in them, and forgotten with them. */
export function createSentArrays<Item extends object>(): SentArrays<Item> {
  const known = new WeakMap<Item, { readonly sent: readonly Item[]; readonly whole: readonly Item[] }>();
  return {
    wholeOf: (items) => {
      for (let end = items.length; end > 0; end--) {
        const item = items[end - 1];
        const found = item === undefined ? undefined : known.get(item);
        if (found?.sent.length === end && found.sent.every((each, index) => each === items[index]))
          return [...found.whole, ...items.slice(end)];
      }
      return items;
    },
    remember: (sent, whole) => {
      const last = sent.at(-1);
      if (last !== undefined) known.set(last, { sent, whole });
    },
  };
}
