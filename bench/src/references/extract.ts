import { isAsciiLetter, isLowerCase, isUpperCase, isWordUnit } from "./character-class.ts";
import { classifyPiece, MAXIMUM_REFERENCE_CHARS, type Reference } from "./classify-piece.ts";
import { createQuoteReader, isReadOfQuotes } from "./quoted-errors.ts";

/** Version of what counts as a reference; figures of different versions are not compared. */
export const REFERENCES_VERSION = 1;

/**
 * The distinct references of a text, in order of first appearance: paths, identifiers that are no plain words, numbers of three
 * digits or more, hashes, URLs, long flags and quoted error texts. One pass: every character is looked at a fixed number of times.
 */
export function extractReferences(text: string): readonly Reference[] {
  const found = new Map<string, Reference>();
  createReferenceReader()(text, (reference) => {
    if (!found.has(reference.text)) found.set(reference.text, reference);
  });
  return [...found.values()];
}

/** Visits the references of texts, at each place again. It knows the pieces of the texts that it read before. */
export function createReferenceReader(): (text: string, visit: (reference: Reference) => void) => void {
  const pieces: KnownPieces = new Map();
  return (text, visit) => readReferences(text, pieces, visit);
}

/** The references that pieces are; `null` for plain words. */
type KnownPieces = Map<string, Reference | null>;

function readReferences(text: string, pieces: KnownPieces, visit: (reference: Reference) => void): void {
  const quotes = createQuoteReader(text);
  let index = 0;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (!isPieceUnit(unit)) {
      const quoted = isReadOfQuotes(unit) ? quotes.read(unit, index) : null;
      if (quoted !== null) visit(quoted);
      index += 1;
      continue;
    }
    const wordEnd = plainWordEnd(text, index);
    if (wordEnd > index) {
      index = wordEnd;
      continue;
    }
    const { end, isUrl } = readPiece(text, index);
    if (end - index <= MAXIMUM_REFERENCE_CHARS) {
      const piece = text.slice(index, end);
      const known = pieces.get(piece);
      const found = known === undefined ? classifyPiece(piece, isUrl) : known;
      if (known === undefined) pieces.set(piece, found);
      if (found !== null) visit(found);
    }
    index = end;
  }
}

/**
 * Where the piece that starts at `start` ends if it is a plain word, as most are: letters without a capital behind a small one, and what may
 * stand behind a word. `start` if more must be known of it.
 */
function plainWordEnd(text: string, start: number): number {
  let end = start;
  let isBehindSmall = false;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (isLowerCase(unit)) isBehindSmall = true;
    else if (isUpperCase(unit) && !isBehindSmall) isBehindSmall = false;
    else break;
  }
  while (end > start && end < text.length && isPieceEnding(text.charCodeAt(end))) end += 1;
  const next = text.charCodeAt(end);
  const goesOn = isPieceUnit(next) || next === COLON;
  return goesOn ? start : end;
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

function isPieceUnit(unit: number): boolean {
  return isWordUnit(unit) || isPieceEnding(unit);
}

/** Characters of names and paths in addition to those of words: `-`, `.`, `/`, `@` and `~`. At the end of a piece they are none of it. */
function isPieceEnding(unit: number): boolean {
  return unit === 0x2d || unit === 0x2e || unit === 0x2f || unit === 0x40 || unit === 0x7e;
}

/** Printable ASCII without quotes, brackets, backslash, caret, bar and backtick. */
function isUrlUnit(unit: number): boolean {
  return unit > 0x20 && unit < 0x7f && !URL_BREAKS.includes(String.fromCharCode(unit));
}

const URL_BREAKS = "\"'<>()[]{}\\^|`";
