/**
 * Numbers for hashes of lines and words, from 1 on as they come: what is known of one is found by its place in a list. A table of its own: a `Map` takes three times as
 * long to look a number up.
 */
export interface HashIds {
  /** A hash and its number, in turn, by the hash's place or the next ones behind it; at most every second place is taken. */
  table: Int32Array;
  count: number;
}

/** Places of a table without numbers; a power of two, as every later count. */
const FIRST_PLACES = 512;

/** No hash has a number. */
export function createHashIds(): HashIds {
  return { table: new Int32Array(2 * FIRST_PLACES), count: 0 };
}

/** The number of a hash, a new one if it has none. 0 stays 0. */
export function idOf(ids: HashIds, hash: number): number {
  if (hash === 0) return 0;
  const { table } = ids;
  const place = placeOf(table, hash);
  const known = table[place + 1] ?? 0;
  if (known !== 0) return known;
  ids.count += 1;
  table[place] = hash;
  table[place + 1] = ids.count;
  if (4 * ids.count >= table.length) ids.table = grown(table);
  return ids.count;
}

/** Where a hash stands, or would. The lowest bits of one lie close together, the highest of its product do not (Knuth, volume 3, 6.4). */
function placeOf(table: Int32Array, hash: number): number {
  const last = table.length - 2;
  let place = (Math.imul(hash, 0x9e3779b1) >>> 8) << 1;
  for (;;) {
    place &= last;
    if (table[place] === hash || table[place + 1] === 0) return place;
    place += 2;
  }
}

function grown(table: Int32Array): Int32Array {
  const larger = new Int32Array(2 * table.length);
  for (let at = 0; at < table.length; at += 2) {
    const hash = table[at] ?? 0;
    if (hash === 0) continue;
    const place = placeOf(larger, hash);
    larger[place] = hash;
    larger[place + 1] = table[at + 1] ?? 0;
  }
  return larger;
}
