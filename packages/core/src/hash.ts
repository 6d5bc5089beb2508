/**
 * SHA-256 (FIPS 180-4) over the text's UTF-8 bytes, as lower-case hex. Lone surrogates are encoded as three bytes of
 * their own (WTF-8), so that different texts never share a hash by replacement. Linear in the text; needs no platform API.
 */
export function sha256Hex(text: string): string {
  const bytes = encodeWtf8(text);
  const state = new Uint32Array(INITIAL_STATE);
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < bytes.length; offset += 64) compressBlock(state, schedule, bytes, offset);
  let hex = "";
  for (const word of state) hex += word.toString(16).padStart(8, "0");
  return hex;
}

/** The first 128 bits of {@link sha256Hex}: what ids and content handles use (collisions need about 2^64 texts). */
export function shortHash(text: string): string {
  return sha256Hex(text).slice(0, 32);
}

const INITIAL_STATE = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19] as const;

/** Round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const ROUND_CONSTANTS = Uint32Array.from(firstPrimes(64), (prime) => (Math.cbrt(prime) % 1) * 2 ** 32);

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}

/** The text's bytes followed by SHA-256 padding: 0x80, zeros, and the bit length as a 64-bit big-endian number. */
function encodeWtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3 + 72);
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index) ?? 0;
    if (point > 0xffff) index += 1;
    if (point < 0x80) bytes[length++] = point;
    else if (point < 0x800) {
      bytes[length++] = 0xc0 | (point >> 6);
      bytes[length++] = 0x80 | (point & 0x3f);
    } else if (point < 0x10000) {
      bytes[length++] = 0xe0 | (point >> 12);
      bytes[length++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[length++] = 0x80 | (point & 0x3f);
    } else {
      bytes[length++] = 0xf0 | (point >> 18);
      bytes[length++] = 0x80 | ((point >> 12) & 0x3f);
      bytes[length++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[length++] = 0x80 | (point & 0x3f);
    }
  }
  const padded = Math.ceil((length + 9) / 64) * 64;
  bytes[length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(padded - 8, Math.floor((length * 8) / 2 ** 32));
  view.setUint32(padded - 4, (length * 8) >>> 0);
  return bytes.subarray(0, padded);
}

function compressBlock(state: Uint32Array, w: Uint32Array, bytes: Uint8Array, offset: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 64);
  for (let t = 0; t < 16; t++) w[t] = view.getUint32(t * 4);
  for (let t = 16; t < 64; t++) {
    const w15 = at(w, t - 15);
    const w2 = at(w, t - 2);
    const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
    const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
    w[t] = at(w, t - 16) + s0 + at(w, t - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(ROUND_CONSTANTS, t) + at(w, t)) | 0;
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
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = at(state, index) + word;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function at(words: Uint32Array, index: number): number {
  return words[index] ?? 0;
}
