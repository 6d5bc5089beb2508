import { PlimsollError, type SessionOptions } from "@plimsoll/core";
import { characterBoundaryAtOrBefore } from "@plimsoll/core/extend";

type CountTokens = NonNullable<SessionOptions["tokenizers"]>[string];

/** An encoding as js-tiktoken packs it: the pattern that splits text into pieces, as the vendor publishes it, and the ranks. */
interface PackedEncoding {
  readonly pat_str: string;
  readonly bpe_ranks: string;
}

/**
 * A counter for the encoding. Special tokens such as `<|endoftext|>` are counted as the plain text that they are in a message; runs longer than
 * `MAX_PIECE_CHARS` are cut, which can add a token at a cut.
 */
export function createTokenCounter({ pat_str: pattern, bpe_ranks }: PackedEncoding): CountTokens {
  const rankOf = ranksIn(bpe_ranks);
  const known = new Map<string, number>();
  const tokensOf = (piece: string) => {
    if (known.size >= KNOWN_PIECES) known.clear();
    const tokens = countMergedTokens(piece, rankOf);
    known.set(piece, tokens);
    return tokens;
  };
  return (text) => {
    let tokens = 0;
    for (const piece of piecesOf(text, pattern)) tokens += known.get(piece) ?? tokensOf(piece);
    return tokens;
  };
}

/** Pieces whose counts are remembered: texts repeat their words, and a known one takes a fifth of the time. Chosen. */
const KNOWN_PIECES = 50_000;

/**
 * The longest piece, in UTF-16 units, that is merged as a whole. Merging is quadratic in an unbroken run, so longer runs are cut.
 * On 2 MB of recorded sessions cuts at this length added 2 tokens in 540,565 (measured with o200k_base).
 */
export const MAX_PIECE_CHARS = 128;

/**
 * How much text one run of the splitting pattern sees (chosen): it bounds the pattern's backtracking stack, which an unbroken run
 * of some ten million characters would exhaust.
 */
const WINDOW_CHARS = 32_768;

/** How far back from a window's end a place is sought where the pattern splits anyway (chosen). */
const WINDOW_SEARCH_CHARS = 2_048;

/**
 * The pieces that an encoding merges on their own: the matches of its splitting pattern, each cut on character boundaries to at most
 * {@link MAX_PIECE_CHARS}. Joined they are the text. Linear in the text.
 */
export function* piecesOf(text: string, pattern: string): Generator<string> {
  const splitting = new RegExp(pattern, "gu");
  for (let start = 0; start < text.length; ) {
    const end = windowEnd(text, start);
    for (const [match] of text.slice(start, end).matchAll(splitting)) yield* boundedPieces(match);
    start = end;
  }
}

function* boundedPieces(match: string): Generator<string> {
  for (let start = 0; start < match.length; ) {
    const end = characterBoundaryAtOrBefore(match, start + MAX_PIECE_CHARS);
    yield match.slice(start, end);
    start = end;
  }
}

/**
 * The end of the window that starts at `start`. No piece has a space after a character that is not white, so a cut there changes
 * nothing; text without such a place is cut where the window ends.
 */
function windowEnd(text: string, start: number): number {
  const limit = start + WINDOW_CHARS;
  if (limit >= text.length) return text.length;
  for (let index = limit; index > limit - WINDOW_SEARCH_CHARS; index--) {
    if (text[index] === " " && text.charAt(index - 1).trim() !== "") return index;
  }
  return characterBoundaryAtOrBefore(text, limit);
}

/** The encodings that are bundled: `o200k_base` (GPT-4o and later, o-series) and `cl100k_base` (GPT-4, GPT-3.5). */
type EncodingName = "o200k_base" | "cl100k_base";

/** All bundled encodings, newest first. */
export const ENCODING_NAMES: readonly EncodingName[] = ["o200k_base", "cl100k_base"];

type ImportEncoding = () => Promise<{ readonly default: PackedEncoding }>;

const IMPORTS: Readonly<Record<EncodingName, ImportEncoding>> = {
  o200k_base: () => import("js-tiktoken/ranks/o200k_base"),
  cl100k_base: () => import("js-tiktoken/ranks/cl100k_base"),
};

/**
 * Loads an encoding's ranks (some 2 MB from js-tiktoken) and gives a counter for it. Nothing is loaded before the call; callers
 * keep the counter, since each call reads the ranks again (some 0.05 s).
 *
 * Its promise rejects with a PlimsollError `bad-input` if js-tiktoken, an optional peer dependency, is not installed.
 */
export async function loadTokenCounter(name: EncodingName, load: ImportEncoding = IMPORTS[name]): Promise<CountTokens> {
  const { default: packed } = await load().catch((error: unknown) => {
    const message = `to count by ${name}, install the package js-tiktoken: npm install js-tiktoken`;
    throw new PlimsollError("bad-input", message, { package: "js-tiktoken", encoding: name }, error);
  });
  return createTokenCounter(packed);
}

/** The tokenizers of encodings, by name. */
export type LoadTokenizers = (encodings: readonly string[]) => Promise<NonNullable<SessionOptions["tokenizers"]>>;

/**
 * Makes a function that loads the tokenizers of the encodings that a policy counts by (`encodingsOf`), each once and only when asked for.
 *
 * Its promise rejects with a PlimsollError `bad-policy` for a name that is not bundled.
 */
export function createTokenizerLoader(): LoadTokenizers {
  const loaded = new Map<EncodingName, Promise<CountTokens>>();
  const counterOf = (encoding: string) => {
    const name = ENCODING_NAMES.find((each) => each === encoding);
    const known = `unknown encoding ${JSON.stringify(encoding)}: known: ${ENCODING_NAMES.join(", ")}`;
    if (name === undefined) throw new PlimsollError("bad-policy", known, { encoding });
    const counter = loaded.get(name) ?? loadTokenCounter(name);
    loaded.set(name, counter);
    return counter;
  };
  return async (encodings) => {
    const entries = encodings.map(async (encoding) => [encoding, await counterOf(encoding)] as const);
    return Object.fromEntries(await Promise.all(entries));
  };
}

/** The merge priority of a byte string (one UTF-16 unit a byte), lower first; infinite for an unknown one. */
type RankOf = (bytes: string) => number;

/** More than twice as many as the largest table has tokens. */
const SLOTS = 2 ** 19;

/**
 * The ranks in js-tiktoken's packed text: lines of `! <first rank> <base64 token> <base64 token> …`, tokens of a line in consecutive ranks. A table of
 * places in that text: strings of all tokens take four times as long, and the first request waits. Linear in the text.
 */
function ranksIn(packed: string): RankOf {
  const text = `${packed.replaceAll("\n", " ")} `;
  const [places, ranks] = [new Int32Array(SLOTS), new Int32Array(SLOTS)];
  let rank = 0;
  for (let place = 0; place < text.length; ) {
    const end = text.indexOf(" ", place);
    if (text.startsWith("! ", place)) {
      rank = Number.parseInt(text.slice(end), 10);
      place = text.indexOf(" ", end + 1) + 1;
      continue;
    }
    let slot = slotOf(text, place, end);
    while (places[slot] !== 0) slot = (slot + 1) % SLOTS;
    places[slot] = place;
    ranks[slot] = rank++;
    place = end + 1;
  }
  return (bytes) => {
    const token = `${btoa(bytes)} `;
    for (let slot = slotOf(token, 0, token.length - 1); places[slot] !== 0; slot = (slot + 1) % SLOTS)
      if (text.startsWith(token, places[slot])) return ranks[slot] ?? Number.POSITIVE_INFINITY;
    return Number.POSITIVE_INFINITY;
  };
}

/** The first slot of a token, by FNV-1a, whose lower bits are spread worse than its upper ones. */
function slotOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return ((hash >>> 15) ^ hash) & (SLOTS - 1);
}

/**
 * How many tokens the piece becomes when neighbours are merged in the order of their ranks. Quadratic in the piece with a small
 * constant: callers bound its length. Every single byte has a rank in the tables in use, so nothing is ever left uncounted.
 */
function countMergedTokens(piece: string, rankOf: RankOf): number {
  // The piece's UTF-8 bytes, one UTF-16 unit each; a lone surrogate becomes U+FFFD, as it does when it is sent.
  const bytes = isAscii(piece) ? piece : String.fromCharCode(...new TextEncoder().encode(piece));
  if (rankOf(bytes) < Number.POSITIVE_INFINITY) return 1;
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
  const pairRank = (index: number) => rankOf(bytes.slice(starts[index], starts[index + 2]));
  const pairRanks = Array.from({ length: bytes.length - 1 }, (_, index) => pairRank(index));
  for (;;) {
    const least = Math.min(...pairRanks);
    if (least === Number.POSITIVE_INFINITY) return starts.length - 1;
    const best = pairRanks.indexOf(least);
    starts.splice(best + 1, 1);
    pairRanks.splice(best, 1);
    if (best < pairRanks.length) pairRanks[best] = pairRank(best);
    if (best > 0) pairRanks[best - 1] = pairRank(best - 1);
  }
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
