import { utf8Bytes } from "./text.ts";

/**
 * SHA-256 (FIPS 180-4) over the text's UTF-8 bytes, as lower-case hex. Lone surrogates are encoded as three bytes of
 * their own (WTF-8), so that different texts never share a hash by replacement. Linear in the text; needs no platform API,
 * and asks the platform's own hash where there is one, which takes a third of the time for an id and a twentieth for a page.
 */
export function sha256Hex(text: string): string {
  return platformSha256Hex(text) ?? ownSha256Hex(text);
}

/** The first 128 bits of {@link sha256Hex}: what ids and content handles use (collisions need about 2^64 texts). */
export function shortHash(text: string): string {
  return sha256Hex(text).slice(0, SHORT_HEX_CHARS);
}

const SHORT_HEX_CHARS = 32;

/** {@link sha256Hex} by the platform, as Node has it; nothing where it is not there, and of text with a half character, which it would replace. */
function platformSha256Hex(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined;
  return globalThis.process?.getBuiltinModule?.("node:crypto")?.hash?.("sha256", text, "hex");
}

/** {@link sha256Hex} without the platform: what browsers run, and what the platform's answers are held against. */
export function ownSha256Hex(text: string): string {
  let hex = "";
  for (const word of digest(text)) {
    const byte = (shift: number) => HEX_BYTES[(word >>> shift) & 0xff] ?? "";
    hex += byte(24) + byte(16) + byte(8) + byte(0);
  }
  return hex;
}

/** The two digits of each byte. */
const HEX_BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The eight words of the hash. */
function digest(text: string): Int32Array {
  // Both arrays are small enough to lie among the objects: larger ones are fetched from the system, which takes longer than to hash an id.
  const state = new Int32Array(8);
  const block = new Int32Array(BLOCK_WORDS);
  for (let word = 0; word < 8; word++) state[word] = INITIAL_STATE[word] ?? 0;
  const bytes = bytesOf(text);
  const last = Math.floor((bytes.length + 8) / BLOCK_BYTES);
  for (let index = 0; index <= last; index++) {
    for (let word = 0; word < BLOCK_WORDS; word++) block[word] = wordAt(bytes, index * BLOCK_BYTES + 4 * word);
    if (index === last) {
      // The length in bits; the top three bits of the byte count are the upper word.
      block[BLOCK_WORDS - 2] = Math.floor(bytes.length / 2 ** 29);
      block[BLOCK_WORDS - 1] = bytes.length << 3;
    }
    compressBlock(state, block);
  }
  return state;
}

const BLOCK_BYTES = 64;
const BLOCK_WORDS = 16;

const BEYOND_ASCII = /[^\0-\x7f]/;

/** The text's bytes in UTF-8: the text itself if it is ASCII. */
function bytesOf(text: string): string | Uint8Array {
  if (!BEYOND_ASCII.test(text)) return text;
  const bytes = new Uint8Array(utf8Bytes(text));
  let end = 0;
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index) ?? 0;
    if (point > 0xffff) index += 1;
    if (point < 0x80) bytes[end++] = point;
    else end = putBeyondAscii(bytes, end, point);
  }
  return bytes;
}

/** Writes the bytes of a code point above 127, as UTF-8 does; a lone surrogate takes three, like any other of its size. Gives the end of them. */
function putBeyondAscii(bytes: Uint8Array, at: number, point: number): number {
  const more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  bytes[at] = (0xf0 << (3 - more)) | (point >> (6 * more));
  for (let each = 1; each <= more; each++) bytes[at + each] = 0x80 | ((point >> (6 * (more - each))) & 0x3f);
  return at + more + 1;
}

/** Four bytes from a place on: the text's, a one bit after its end, and zeros (FIPS 180-4, 5.1.1). */
function wordAt(bytes: string | Uint8Array, from: number): number {
  let word = 0;
  for (let place = from; place < from + 4; place++) {
    const byte = place < bytes.length ? byteAt(bytes, place) : place === bytes.length ? 0x80 : 0;
    word = (word << 8) | byte;
  }
  return word;
}

function byteAt(bytes: string | Uint8Array, place: number): number {
  return typeof bytes === "string" ? bytes.charCodeAt(place) : (bytes[place] ?? 0);
}

const INITIAL_STATE = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19] as const;

/** Round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). Signed, so that
 * sums stay 32-bit integers. */
const ROUND_CONSTANTS = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
  0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
  0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
  0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
  0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
  0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

/** Folds the sixteen words of a block into the state, and leaves the block's last part of the message schedule in their place. */
function compressBlock(state: Int32Array, w: Int32Array): void {
  let a = at(state, 0);
  let b = at(state, 1);
  let c = at(state, 2);
  let d = at(state, 3);
  let e = at(state, 4);
  let f = at(state, 5);
  let g = at(state, 6);
  let h = at(state, 7);
  for (let t = 0; t < 64; t++) {
    if (t >= BLOCK_WORDS) w[t & 15] = scheduled(w, t);
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(ROUND_CONSTANTS, t) + at(w, t & 15)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = at(state, 0) + a;
  state[1] = at(state, 1) + b;
  state[2] = at(state, 2) + c;
  state[3] = at(state, 3) + d;
  state[4] = at(state, 4) + e;
  state[5] = at(state, 5) + f;
  state[6] = at(state, 6) + g;
  state[7] = at(state, 7) + h;
}

/** Word `t` of the message schedule, from the sixteen before it. */
function scheduled(w: Int32Array, t: number): number {
  const w15 = at(w, (t + 1) & 15);
  const w2 = at(w, (t + 14) & 15);
  const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
  const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
  return (at(w, t & 15) + s0 + at(w, (t + 9) & 15) + s1) | 0;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function at(words: Int32Array, index: number): number {
  return words[index] ?? 0;
}
