import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Bytes of the text in UTF-8. A lone surrogate counts three bytes, as it does when it is sent as U+FFFD. One pass. */
export function utf8Bytes(text: string): number {
  return ENCODER.encode(text).length;
}

/** The longest prefix of at most so many UTF-8 bytes that ends between characters. */
export function prefixEnd(text: string, limitBytes: number): number {
  const mostBytes = Math.min(limitBytes, text.length * MOST_BYTES_PER_UNIT);
  return ENCODER.encodeInto(text, new Uint8Array(Math.max(0, Math.floor(mostBytes)))).read;
}

/** The start of the longest suffix of at most so many UTF-8 bytes that begins between characters. */
export function suffixStart(text: string, limitBytes: number): number {
  const bytes = ENCODER.encode(text.slice(Math.max(0, text.length - Math.max(0, limitBytes))));
  let from = Math.max(0, Math.ceil(bytes.length - limitBytes));
  // Bytes that go on with a character.
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return text.length - DECODER.decode(bytes.subarray(from)).length;
}

/** UTF-8 bytes of a UTF-16 unit at most: two units that take four are a pair. */
export const MOST_BYTES_PER_UNIT = 3;

/** Unicode code points in the text; a lone surrogate counts as one. One pass. */
export function codePointCount(text: string): number {
  return text.length - (text.match(SURROGATE_PAIRS)?.length ?? 0);
}

const SURROGATE_PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** True if a well-formed surrogate pair starts at `index` (a UTF-16 index). */
export function isSurrogatePairAt(text: string, index: number): boolean {
  const high = text.charCodeAt(index);
  if (!(high >= 0xd800 && high <= 0xdbff)) return false;
  const low = text.charCodeAt(index + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}

/** The largest UTF-16 index at or below `index` that does not split a surrogate pair. */
export function characterBoundaryAtOrBefore(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  return isSurrogatePairAt(text, index - 1) ? index - 1 : index;
}

/** Lines of the text: the number of `\n`, plus one for a last line that does not end in one. Empty text has none. */
export function lineCount(text: string): number {
  if (text.length === 0) return 0;
  let lines = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) lines += 1;
  return text.endsWith("\n") ? lines : lines + 1;
}

/** Takes text as it arrives, and gives its lines. */
export interface LineSplitter {
  /** The lines that this piece ends, without their ends; `null` for one that is longer than the most. */
  take(piece: string): readonly (string | null)[];
  /** The last line, which nothing ended. */
  end(): string | null;
}

/**
 * Splits text that comes in pieces on `\n`, `\r\n` and `\r`. Each piece is searched once and each line joined once; it keeps nothing of a line longer than so many
 * characters.
 */
export function createLineSplitter(mostChars: number): LineSplitter {
  let pieces: string[] = [];
  let chars = 0;
  let isAfterReturn = false;
  const hold = (text: string) => {
    chars += text.length;
    if (chars > mostChars) pieces = [];
    else pieces.push(text);
  };
  const end = () => {
    const line = chars > mostChars ? null : pieces.join("");
    pieces = [];
    chars = 0;
    return line;
  };
  return {
    take: (piece) => {
      if (piece === "") return [];
      // A line end whose halves came in two pieces is one.
      const [first = "", ...rest] = (isAfterReturn && piece.startsWith("\n") ? piece.slice(1) : piece).split(/\r\n|\n|\r/);
      isAfterReturn = piece.endsWith("\r");
      hold(first);
      return rest.map((next) => {
        const line = end();
        hold(next);
        return line;
      });
    },
    end,
  };
}

/** The smallest UTF-16 index at or above `index` that does not split a surrogate pair. */
export function characterBoundaryAtOrAfter(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  return isSurrogatePairAt(text, index - 1) ? index + 1 : index;
}

/**
 * SHA-256 (FIPS 180-4) over the text's UTF-8 bytes, as lower-case hex. Lone surrogates are encoded as three bytes of
 * their own (WTF-8), so that different texts never share a hash by replacement. Linear in the text.
 */
export function sha256Hex(text: string): string {
  return platformHash !== undefined && text.isWellFormed() ? platformHash("sha256", text, "hex") : scriptedSha256Hex(text);
}

/** The platform's hash where it has one that answers at once, as Node has: a fifth of the time. A browser has none. */
const platformHash = globalThis.process?.getBuiltinModule?.("node:crypto")?.hash;

/** The same without a platform. */
export function scriptedSha256Hex(text: string): string {
  return bytesToHex(sha256(bytesOf(text)));
}

/** The first 128 bits of {@link sha256Hex}, for ids and content handles (collisions need about 2^64 texts). */
export function shortHash(text: string): string {
  return sha256Hex(text).slice(0, SHORT_HEX_CHARS);
}

const SHORT_HEX_CHARS = 32;

/** The text's bytes in UTF-8; a lone surrogate takes three, like any other unit of its size. */
function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return utf8ToBytes(text);
  const pieces = text.split(/(\p{Surrogate})/u).map((piece) => {
    const unit = piece.charCodeAt(0);
    const lone = [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
    return piece.isWellFormed() ? [...utf8ToBytes(piece)] : lone;
  });
  return Uint8Array.from(pieces.flat());
}
