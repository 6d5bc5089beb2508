/**
 * A list that only grows and whose older values stay valid: appending to the newest value is O(1) amortised and shares its storage, appending to an
 * older value copies (a fork). It lets `foldEntry` return a new view a message without walking the session.
 */
export interface Sequence<T> {
  readonly size: number;
  /** The item at `index`, or `undefined` outside `0 … size − 1`. Negative indexes count from the end. */
  at(index: number): T | undefined;
  /** The items from `start` (default 0) up to `end` (default `size`), as a new array. */
  slice(start?: number, end?: number): T[];
  append(item: T): Sequence<T>;
  /** True if this list is known to begin with all of `before`, which costs nothing to check: it was appended to. False says nothing. */
  goesOnFrom(before: Sequence<T>): boolean;
  [Symbol.iterator](): Iterator<T>;
}

/** A sequence with the given items. The array is copied. */
export function sequenceOf<T>(items: Iterable<T> = []): Sequence<T> {
  const buffer = [...items];
  return new SharedSequence(buffer, buffer.length);
}

/** A class and no closures: several are made for each message of a log, and closures of their own would be most of a fold's cost. */
class SharedSequence<T> implements Sequence<T> {
  readonly size: number;
  readonly #buffer: T[];

  constructor(buffer: T[], size: number) {
    this.#buffer = buffer;
    this.size = size;
  }

  at(index: number): T | undefined {
    const position = index < 0 ? this.size + index : index;
    return position < this.size ? this.#buffer[position] : undefined;
  }

  slice(start: number = 0, end: number = this.size): T[] {
    return this.#buffer.slice(fromEnd(start, this.size), Math.min(fromEnd(end, this.size), this.size));
  }

  append(item: T): Sequence<T> {
    // An empty sequence never lends its storage: it may be a constant that many lists begin with.
    const isNewest = this.size > 0 && this.#buffer.length === this.size;
    const target = isNewest ? this.#buffer : this.#buffer.slice(0, this.size);
    target.push(item);
    return new SharedSequence(target, this.size + 1);
  }

  goesOnFrom(before: Sequence<T>): boolean {
    // Of two that share their storage the longer begins with the shorter.
    return #buffer in before && before.#buffer === this.#buffer && before.size <= this.size;
  }

  // Of a copy: a generator takes several times as long.
  [Symbol.iterator](): Iterator<T> {
    return this.slice().values();
  }
}

function fromEnd(index: number, size: number): number {
  return index < 0 ? Math.max(0, size + index) : index;
}
