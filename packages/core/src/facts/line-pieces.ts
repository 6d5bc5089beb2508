/** Lines up to this length are taken whole; chosen, about four lines of a terminal. */
const WHOLE_LINE_CHARS = 320;

/** Longer ones come in pieces of this length, each with so much around it: no longer than a whole line, so that a piece stays one. Chosen. */
const PIECE_CHARS = 160;
const MARGIN_CHARS = 80;

/** A line without the white space around it, or a piece of a long one. */
export interface LinePiece {
  readonly text: string;
  /** What begins here is the piece's own; the rest is context, which its neighbours have too. */
  readonly ownStart: number;
  readonly ownEnd: number;
}

/** The lines of a text that are not empty, in order. A piece of a long line may begin and end inside a word. One pass. */
export function* linePieces(text: string): Generator<LinePiece> {
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end).trim();
    if (line.length > WHOLE_LINE_CHARS) yield* piecesOf(line);
    else if (line !== "") yield { text: line, ownStart: 0, ownEnd: line.length };
    start = end + 1;
  }
}

function* piecesOf(line: string): Generator<LinePiece> {
  for (let from = 0; from < line.length; from += PIECE_CHARS) {
    const start = Math.max(0, from - MARGIN_CHARS);
    const text = line.slice(start, from + PIECE_CHARS + MARGIN_CHARS);
    yield { text, ownStart: from - start, ownEnd: from - start + PIECE_CHARS };
  }
}
