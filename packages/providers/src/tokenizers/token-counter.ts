import type { CountTokens } from "@plimsoll/core/build";
import type { RankTable } from "./byte-pair-encoding.ts";
import { countMergedTokens } from "./byte-pair-encoding.ts";
import { piecesOf } from "./pieces.ts";

/** A tokenizer for counting. */
export interface TokenCounter {
  /** The encoding's name, for records. */
  readonly encoding: string;
  readonly countTokens: CountTokens;
}

/** One piece that was counted; what a test or a work counter is told. */
export type PieceObserver = (pieceChars: number) => void;

/** What an encoding is made of. */
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
