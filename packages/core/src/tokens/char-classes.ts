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
  let kind: Kind = "start";
  let letters = 0;
  let previous = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x61 && unit <= 0x7a) {
      letters = kind === "lower" || kind === "upper" ? letters + 1 : 1;
      add(counts, letters > 1 ? letterClass(letters) : startClass(kind, 0));
      kind = "lower";
    } else if (unit >= 0x41 && unit <= 0x5a) {
      letters = kind === "upper" ? letters + 1 : 1;
      add(counts, letters > 1 ? UPPER_RUN : startClass(kind, 2));
      kind = "upper";
    } else if (unit >= 0x30 && unit <= 0x39) {
      add(counts, kind === "digit" ? DIGIT_START + 1 : DIGIT_START);
      kind = "digit";
    } else if (unit === 0x20) {
      add(counts, kind === "space" ? SPACE + 1 : SPACE);
      kind = "space";
    } else if (unit === 0x0a) {
      add(counts, kind === "newline" ? NEWLINE + 1 : NEWLINE);
      kind = "newline";
    } else if (unit === 0x09 || unit === 0x0d) {
      add(counts, TAB);
      kind = "newline";
    } else if (unit < 0x80) {
      add(counts, unit === previous ? REPEATED : kind === "punctuation" ? REPEATED + 1 : (PUNCTUATION[unit] ?? OTHER));
      kind = "punctuation";
    } else {
      const wide = wideClass(unit, previous);
      if (wide !== null) add(counts, wide);
      kind = "wide";
    }
    previous = unit;
  }
}

type Kind = "start" | "lower" | "upper" | "digit" | "space" | "newline" | "punctuation" | "wide";

const UPPER_RUN = 7;
const DIGIT_START = 8;
const SPACE = 10;
const NEWLINE = 12;
const TAB = 14;
const OTHER = 22;
const REPEATED = 23;
const AFTER_DIGIT = 31;

/** The class of each punctuation mark that has one of its own, by code unit. */
const PUNCTUATION: Readonly<Record<number, number>> = Object.fromEntries(
  [
    ["_", 15],
    [".,", 16],
    ["\"'`", 17],
    ["()[]{}", 18],
    ["/\\", 19],
    ["-", 20],
    ["=:;", 21],
  ].flatMap(([marks, index]) => [...String(marks)].map((mark) => [mark.charCodeAt(0), Number(index)])),
);

function add(counts: number[], index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

function startClass(kind: Kind, base: 0 | 2): number {
  if (kind === "space") return base;
  return kind === "digit" ? AFTER_DIGIT : base + 1;
}

function letterClass(letters: number): number {
  if (letters <= 4) return 4;
  return letters <= 8 ? 5 : 6;
}

/** The class of a code unit beyond ASCII; `null` for the second half of a pair, whose first half counts for both. */
function wideClass(unit: number, previous: number): number | null {
  if (unit < 0x250) return 25;
  if (unit < 0x1100) return 26;
  if (unit >= 0x2000 && unit < 0x2500) return 28;
  if (unit >= 0x2500 && unit < 0x2c00) return unit === previous ? 27 : 28;
  if (unit >= 0xd800 && unit < 0xdc00) return 29;
  if (unit >= 0xdc00 && unit < 0xe000) return null;
  return 30;
}
