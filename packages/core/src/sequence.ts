/**
 * A list that only grows and whose older values stay valid: appending to the newest value is O(1) amortised and shares
 * its storage, appending to an older value copies (a fork). It is what lets `foldEntry` return a new view a message
 * without walking the session.
 */
export interface Sequence<T> {
  readonly size: number;
  /** The item at `index`, or `undefined` outside `0 … size − 1`. Negative indexes count from the end. */
  at(index: number): T | undefined;
  /** The items from `start` (default 0) up to `end` (default `size`), as a new array. */
  slice(start?: number, end?: number): T[];
  append(item: T): Sequence<T>;
  [Symbol.iterator](): Iterator<T>;
}

/** A sequence with the given items. The array is copied. */
export function sequenceOf<T>(items: Iterable<T> = []): Sequence<T> {
  const buffer = [...items];
  return share(buffer, buffer.length);
}

function share<T>(buffer: T[], size: number): Sequence<T> {
  return {
    size,
    at: (index) => {
      const position = index < 0 ? size + index : index;
      return position < size ? buffer[position] : undefined;
    },
    slice: (start = 0, end = size) => buffer.slice(fromEnd(start, size), Math.min(fromEnd(end, size), size)),
    append: (item) => {
      // An empty sequence never lends its storage: it may be a constant that many lists begin with.
      const target = size > 0 && buffer.length === size ? buffer : buffer.slice(0, size);
      target.push(item);
      return share(target, size + 1);
    },
    *[Symbol.iterator]() {
      for (let index = 0; index < size; index++) {
        const item = buffer[index];
        if (item !== undefined) yield item;
      }
    },
  };
}

function fromEnd(index: number, size: number): number {
  return index < 0 ? Math.max(0, size + index) : index;
}
