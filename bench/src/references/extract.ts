import type { WorkCounter } from "@plimsoll/core/build";
import { isAsciiLetter, isWordUnit } from "./character-class.ts";
import { classifyPiece, MAXIMUM_REFERENCE_CHARS, type Reference } from "./classify-piece.ts";
import { createQuoteReader } from "./quoted-errors.ts";

/** Version of what counts as a reference; figures of different versions are not compared. */
export const REFERENCES_VERSION = 1;

/**
 * The distinct references of a text, in order of first appearance: paths, identifiers that are no plain words, numbers of three
 * digits or more, hashes, URLs, long flags and quoted error texts. One pass: every character is looked at a fixed number of times.
 */
export function extractReferences(text: string, work: WorkCounter): readonly Reference[] {
  const found = new Map<string, Reference>();
  const keep = (reference: Reference | null) => {
    if (reference !== null && !found.has(reference.text)) found.set(reference.text, reference);
  };
  const quotes = createQuoteReader(text, work);
  let index = 0;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (!isPieceUnit(unit)) {
      keep(quotes.read(unit, index));
      index += 1;
      continue;
    }
    const piece = readPiece(text, index);
    if (piece.end - index <= MAXIMUM_REFERENCE_CHARS) keep(classifyPiece(text.slice(index, piece.end), piece.isUrl, work));
    index = piece.end;
  }
  work.scanned(text.length);
  return [...found.values()];
}

/** Where the piece that starts at `start` ends: a run of name and path characters, or a URL with what may stand in one. */
function readPiece(text: string, start: number): { readonly end: number; readonly isUrl: boolean } {
  let end = start + 1;
  while (end < text.length) {
    const unit = text.charCodeAt(end);
    if (unit === COLON) {
      if (text.startsWith("//", end + 1) && isAsciiLetter(text.charCodeAt(end - 1)))
        return { end: urlEnd(text, end + 3), isUrl: true };
      if (text.charCodeAt(end + 1) !== COLON || !isWordUnit(text.charCodeAt(end + 2))) break;
      end += 2;
    } else if (isPieceUnit(unit)) end += 1;
    else break;
  }
  return { end, isUrl: false };
}

function urlEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isUrlUnit(text.charCodeAt(end))) end += 1;
  return end;
}

const COLON = 0x3a;

/** Characters of names and paths in addition to those of words: `-`, `.`, `/`, `@` and `~`. */
function isPieceUnit(unit: number): boolean {
  return isWordUnit(unit) || unit === 0x2d || unit === 0x2e || unit === 0x2f || unit === 0x40 || unit === 0x7e;
}

/** Printable ASCII without quotes, brackets, backslash, caret, bar and backtick. */
function isUrlUnit(unit: number): boolean {
  return unit > 0x20 && unit < 0x7f && !URL_BREAKS.includes(String.fromCharCode(unit));
}

const URL_BREAKS = "\"'<>()[]{}\\^|`";
