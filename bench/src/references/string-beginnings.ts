/** How strings begin: sets that may hold other beginnings for some of these. */
export interface Beginnings {
  /** A bit for each hash of the first four units of the strings that have so many. */
  readonly long: Int32Array;
  /** By the lower half of a unit: 1 if one of the others begins with such a unit. */
  readonly short: Uint8Array;
}

/** Few places of a text have four units in common with the beginning of a string, and their set fits into a processor's nearest cache. */
const LONG_UNITS = 4;
const LONG_HASH_BITS = 15;

/** The sets for strings that are looked for. */
export function beginningsOf(strings: readonly string[]): Beginnings {
  const long = new Int32Array(2 ** LONG_HASH_BITS / 32);
  const short = new Uint8Array(256);
  for (const string of strings) {
    if (string.length === 0) continue;
    if (string.length < LONG_UNITS) short[string.charCodeAt(0) & 0xff] = 1;
    else {
      let packed = 0;
      for (let index = 0; index < LONG_UNITS; index++) packed = (packed << 8) | (string.charCodeAt(index) & 0xff);
      const hash = hashOf(packed);
      long[hash >>> 5] = (long[hash >>> 5] ?? 0) | (1 << (hash & 31));
    }
  }
  return { long, short };
}

/** The first place from which a string may begin in a text of which these are the lower halves; its length if there is none. */
export function nextBeginning({ long, short }: Beginnings, { halves, length }: LowerHalves, from: number): number {
  let packed = 0;
  for (let index = from; index < from + LONG_UNITS - 1; index++) packed = (packed << 8) | (halves[index] ?? 0);
  for (let index = from; index < length; index++) {
    packed = (packed << 8) | (halves[index + LONG_UNITS - 1] ?? 0);
    const hash = hashOf(packed);
    if ((((long[hash >>> 5] ?? 0) >>> (hash & 31)) & 1) === 1 || short[halves[index] ?? 0] === 1) return index;
  }
  return length;
}

function hashOf(packed: number): number {
  return Math.imul(packed, 0x9e3779b1) >>> (32 - LONG_HASH_BITS);
}

/** The lower half of each UTF-16 unit of a text, and zeros behind them: bytes are read several times as fast as the units of a string. */
export interface LowerHalves {
  readonly halves: Uint8Array;
  readonly length: number;
}

/** Shorter texts are copied unit by unit, which takes less than a call of the platform (measured: from about a hundred units on). */
const SHORT_TEXT_UNITS = 100;

/** A reader of lower halves, one text after the other: what it gave before holds no longer. */
export function createLowerHalves(): (text: string) => LowerHalves {
  const encoder = new TextEncoder();
  let halves = new Uint8Array(1024);
  return (text) => {
    const { length } = text;
    if (halves.length < length + LONG_UNITS) halves = new Uint8Array(2 * length + LONG_UNITS);
    // What has a byte for each unit is ASCII and as it should be.
    const isEncoded = length >= SHORT_TEXT_UNITS && isAscii(encoder.encodeInto(text, halves), length);
    if (!isEncoded) copyUnits(text, halves);
    halves.fill(0, length, length + LONG_UNITS);
    return { halves, length };
  };
}

function copyUnits(text: string, halves: Uint8Array): void {
  for (let index = 0; index < text.length; index++) halves[index] = text.charCodeAt(index);
}

function isAscii({ read, written }: { readonly read: number; readonly written: number }, length: number): boolean {
  return read === length && written === length;
}
