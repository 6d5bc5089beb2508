import { type CountTokens, characterBoundaryAtOrBefore } from "@plimsoll/core/extend";
import { countMergedTokens, type RankTable } from "./byte-pair-encoding.ts";

/** A tokenizer for counting. */
export interface TokenCounter {
  /** The encoding's name, for records. */
  readonly encoding: string;
  readonly countTokens: CountTokens;
}

/** One piece that was counted; what a test or a work counter is told. */
export type PieceObserver = (pieceChars: number) => void;

/** The parts of an encoding. */
export interface Encoding {
  readonly name: string;
  /** The pattern that splits text into pieces, as the vendor publishes it. */
  readonly pattern: string;
  readonly ranks: RankTable;
}

/**
 * A counter for the encoding. Special tokens such as `<|endoftext|>` are counted as the plain text that they are in a message;
 * runs longer than `MAX_PIECE_CHARS` are cut, which can add a token at a cut. `onPiece` is told of every piece, in order.
 */
export function createTokenCounter(encoding: Encoding, onPiece: PieceObserver = ignorePiece): TokenCounter {
  return {
    encoding: encoding.name,
    countTokens: (text) => {
      let tokens = 0;
      for (const piece of piecesOf(text, new RegExp(encoding.pattern, "gu"))) {
        onPiece(piece.length);
        tokens += countMergedTokens(piece, encoding.ranks);
      }
      return tokens;
    },
  };
}

function ignorePiece(): void {}

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
 * The pieces that an encoding merges on their own: the matches of its splitting pattern (sticky or global, with the `u` flag),
 * each cut on character boundaries to at most {@link MAX_PIECE_CHARS}. Joined they are the text. Linear in the text.
 */
function* piecesOf(text: string, pattern: RegExp): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = windowEnd(text, start);
    for (const [match] of text.slice(start, end).matchAll(pattern)) yield* boundedPieces(match);
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
    if (text[index] === " " && !isWhite(text.charAt(index - 1))) return index;
  }
  return characterBoundaryAtOrBefore(text, limit);
}

function isWhite(character: string): boolean {
  return character.trim() === "";
}
