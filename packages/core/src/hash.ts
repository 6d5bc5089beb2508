import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { utf8Bytes } from "./text.ts";

/**
 * SHA-256 (FIPS 180-4) over the text's UTF-8 bytes, as lower-case hex. Lone surrogates are encoded as three bytes of
 * their own (WTF-8), so that different texts never share a hash by replacement. Linear in the text.
 */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(bytesOf(text)));
}

/** The first 128 bits of {@link sha256Hex}: what ids and content handles use (collisions need about 2^64 texts). */
export function shortHash(text: string): string {
  return sha256Hex(text).slice(0, SHORT_HEX_CHARS);
}

const SHORT_HEX_CHARS = 32;

/** The text's bytes in UTF-8. */
function bytesOf(text: string): Uint8Array {
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
