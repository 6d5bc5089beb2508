/**
 * What a text is made of, in the order of the vectors that count it: word starts (after a space or not; lower or upper case), the
 * letters that follow by their place in the word, digits, white space, punctuation and scripts. Tokenizers that merge bytes cut
 * at these places, so that a weight for each says most of a text's size.
 */
export const CHAR_CLASSES = [
  "spaced-lower-start",
  "lower-start",
  "spaced-upper-start",
  "upper-start",
  "letters-2-to-4",
  "letters-5-to-8",
  "letters-from-9",
  "upper-run",
  "digit-start",
  "digit-run",
  "space",
  "space-run",
  "newline",
  "newline-run",
  "tab",
  "underscore",
  "dot-comma",
  "quote",
  "bracket",
  "slash",
  "hyphen",
  "assignment",
  "other-punctuation",
  "repeated-punctuation",
  "punctuation-run",
  "latin",
  "alphabet",
  "drawing-run",
  "symbol",
  "astral",
  "ideograph",
  "letter-after-digit",
] as const;

/** Counts by class, in the order of {@link CHAR_CLASSES}. */
export type ClassCounts = readonly number[];

/** No text. */
export const NO_COUNTS: ClassCounts = CHAR_CLASSES.map(() => 0);

/** Adds the classes of a text to `counts`. One pass over its UTF-16 code units, whatever they are. */
export function countClasses(text: string, counts: number[]): void {
  const seen = new Uint32Array(CHAR_CLASSES.length);
  let kind: Kind = START;
  let letters = 0;
  let previous = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    let at: number;
    if (unit >= 0x61 && unit <= 0x7a) {
      letters = kind === LOWER || kind === UPPER ? letters + 1 : 1;
      at = letters > 1 ? letterClass(letters) : startClass(kind, 0);
      kind = LOWER;
    } else if (unit >= 0x41 && unit <= 0x5a) {
      letters = kind === UPPER ? letters + 1 : 1;
      at = letters > 1 ? UPPER_RUN : startClass(kind, 2);
      kind = UPPER;
    } else if (unit >= 0x30 && unit <= 0x39) {
      at = kind === DIGIT ? DIGIT_START + 1 : DIGIT_START;
      kind = DIGIT;
    } else if (unit === 0x20) {
      at = kind === SPACE ? SPACE_START + 1 : SPACE_START;
      kind = SPACE;
    } else if (unit === 0x0a) {
      at = kind === NEWLINE ? NEWLINE_START + 1 : NEWLINE_START;
      kind = NEWLINE;
    } else if (unit === 0x09 || unit === 0x0d) {
      at = TAB;
      kind = NEWLINE;
    } else if (unit < 0x80) {
      at = punctuationClass(unit, kind, previous);
      kind = PUNCTUATION;
    } else {
      at = wideClass(unit, previous);
      kind = WIDE;
    }
    if (at >= 0) seen[at] = (seen[at] ?? 0) + 1;
    previous = unit;
  }
  for (let at = 0; at < seen.length; at++) counts[at] = (counts[at] ?? 0) + (seen[at] ?? 0);
}

/** What the code unit before was: numbers, because this runs once a character. */
type Kind = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
const START = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const SPACE = 4;
const NEWLINE = 5;
const PUNCTUATION = 6;
const WIDE = 7;

const UPPER_RUN = 7;
const DIGIT_START = 8;
const SPACE_START = 10;
const NEWLINE_START = 12;
const TAB = 14;
const OTHER = 22;
const REPEATED = 23;
const AFTER_DIGIT = 31;

/** The class of each ASCII punctuation mark by code unit; marks without a class of their own are `OTHER`. */
const MARKS: readonly number[] = Array.from({ length: 0x80 }, (_, unit) => {
  const groups = ["_", ".,", "\"'`", "()[]{}", "/\\", "-", "=:;"];
  const group = groups.findIndex((marks) => marks.includes(String.fromCharCode(unit)));
  return group < 0 ? OTHER : 15 + group;
});

function punctuationClass(unit: number, kind: Kind, previous: number): number {
  if (unit === previous) return REPEATED;
  return kind === PUNCTUATION ? REPEATED + 1 : (MARKS[unit] ?? OTHER);
}

function startClass(kind: Kind, base: 0 | 2): number {
  if (kind === SPACE) return base;
  return kind === DIGIT ? AFTER_DIGIT : base + 1;
}

function letterClass(letters: number): number {
  if (letters <= 4) return 4;
  return letters <= 8 ? 5 : 6;
}

/** The class of a code unit beyond ASCII; −1 for the second half of a pair, whose first half counts for both. */
function wideClass(unit: number, previous: number): number {
  if (unit < 0x250) return 25;
  if (unit < 0x1100) return 26;
  if (unit >= 0x2000 && unit < 0x2500) return 28;
  if (unit >= 0x2500 && unit < 0x2c00) return unit === previous ? 27 : 28;
  if (unit >= 0xd800 && unit < 0xdc00) return 29;
  if (unit >= 0xdc00 && unit < 0xe000) return -1;
  return 30;
}
