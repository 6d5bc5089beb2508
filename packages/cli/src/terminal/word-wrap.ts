import { printable } from "@plimsoll/bench/terminal";

/** The position of words that come piece by piece: the used width of the line, and the beginning of a word whose end is still to come. */
export interface WrapState {
  readonly column: number;
  readonly word: string;
}

/** The beginning of a line. */
export const LINE_START: WrapState = { column: 0, word: "" };

/** A piece of text for a terminal, and the part that stays back. */
export interface WrappedPiece {
  readonly state: WrapState;
  readonly text: string;
}

const BLANKS = /(\s)/;

/**
 * Breaks text that comes piece by piece between words, so that no line is longer than `columns`; a word that is longer has lines of its own. A
 * possible beginning of a word stays back until its end comes: `flushed` shows it.
 */
export function wrapPiece({ column, word }: WrapState, piece: string, columns: number): WrappedPiece {
  let text = "";
  let at = column;
  // Only the new part is split: a word without an end may come in many pieces.
  let held = word;
  for (const part of piece.split(BLANKS)) {
    if (!BLANKS.test(part)) {
      held += part;
      continue;
    }
    const placed = flushed({ column: at, word: held }, columns);
    held = "";
    at = placed.state.column;
    text += placed.text;
    if (part === "\n") at = 0;
    else if (at < columns) at += 1;
    else continue;
    text += part;
  }
  return { state: { column: at, word: held }, text };
}

/** Shows the word that stayed back, on a line of its own if it does not fit. */
export function flushed({ column, word }: WrapState, columns: number): WrappedPiece {
  const size = [...word].length;
  const isBroken = column > 0 && column + size > columns;
  return { state: { column: isBroken ? size : column + size, word: "" }, text: isBroken ? `\n${word}` : word };
}

/** Text of several lines without characters that could steer the terminal. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => printable(line.split("\t").join("    ")))
    .join("\n");
}
