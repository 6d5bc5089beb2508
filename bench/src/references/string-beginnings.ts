/** A part of a text: from one place up to another, which is not in it. */
export interface TextPart {
  readonly from: number;
  readonly through: number;
}

/** How strings begin: sets that may hold other beginnings for some of these. */
export interface Beginnings {
  /** A bit for each hash of the first four units of the strings that have so many. */
  readonly long: Int32Array;
  /** A bit for each first unit of the others. */
  readonly short: Int32Array;
}

/** Few places of a text have four units in common with the beginning of a string, and their set fits into a processor's nearest cache. */
const LONG_UNITS = 4;
const LONG_HASH_BITS = 15;

/** UTF-16 code units. */
const UNIT_COUNT = 2 ** 16;

/** The sets for strings that are looked for. */
export function beginningsOf(strings: readonly string[]): Beginnings {
  const long = new Int32Array(2 ** LONG_HASH_BITS / 32);
  const short = new Int32Array(UNIT_COUNT / 32);
  for (const string of strings) {
    if (string.length < LONG_UNITS) addBit(short, string.charCodeAt(0));
    else addBit(long, hashOf(packedBefore(string, LONG_UNITS)));
  }
  return { long, short };
}

/** The first place from which a string may begin; the end of the part if there is none. */
export function nextBeginning({ long, short }: Beginnings, text: string, { from, through }: TextPart): number {
  let packed = packedBefore(text, from + LONG_UNITS - 1);
  for (let index = from; index < through; index++) {
    packed = withUnit(packed, text.charCodeAt(index + LONG_UNITS - 1));
    if (hasBit(long, hashOf(packed)) || hasBit(short, text.charCodeAt(index))) return index;
  }
  return through;
}

/** The lower halves of the four units before a place, in one number. */
function packedBefore(text: string, end: number): number {
  let packed = 0;
  for (let index = end - LONG_UNITS; index < end; index++) packed = withUnit(packed, text.charCodeAt(index));
  return packed;
}

/** Outside of the text a unit is no number, of which the lower half is zero. */
function withUnit(packed: number, unit: number): number {
  return (packed << 8) | (unit & 0xff);
}

function hashOf(packed: number): number {
  return Math.imul(packed, 0x9e3779b1) >>> (32 - LONG_HASH_BITS);
}

function addBit(bits: Int32Array, bit: number): void {
  bits[bit >>> 5] = at(bits, bit >>> 5) | (1 << (bit & 31));
}

function hasBit(bits: Int32Array, bit: number): boolean {
  return ((at(bits, bit >>> 5) >>> (bit & 31)) & 1) === 1;
}

function at(values: Int32Array, index: number): number {
  return values[index] ?? 0;
}
