/** Longer runs are data, not names; chosen. */
const LONGEST_CHARS = 200;

/** Shorter words are everywhere, and a number needs a digit more to mean anything; chosen. */
const LEAST_CHARS = 3;
const LEAST_DIGITS = 4;

interface Run {
  readonly start: number;
  readonly end: number;
}

/**
 * Visits the distinguishing words of a text, in order: names with a digit, a hyphen, an underscore or a capital inside, long numbers, words joined by
 * dots, slashes and colons (paths, dotted names), and the rare pieces of those. A letter behind a backslash is taken for an escape. One pass.
 */
export function forEachRareWord(text: string, visit: (word: string, start: number) => void): void {
  const places = rareRuns(text, { start: 0, end: text.length });
  for (let at = 0; at < places.length; at += 2) visit(text.slice(places[at], places[at + 1]), places[at] ?? 0);
}

/** The same of a stretch as if it were a text by itself: where the words begin and end in the text, in turn. */
export function rareRuns(text: string, { start: from, end }: Run): readonly number[] {
  const found: number[] = [];
  for (let index = from; index < end; ) {
    const unit = text.charCodeAt(index);
    const kind = kindOf(unit);
    if (kind === OTHER || kind === JOINT) index += unit === BACKSLASH ? 2 : 1;
    else index = addRun(text, { start: index, end }, found);
  }
  return found;
}

/** Adds the rare pieces of the run that begins at a place, and the run if it is a word of several pieces; where it ends. */
function addRun(text: string, { start, end }: Run, found: number[]): number {
  const foundBefore = found.length;
  let before = OTHER;
  let piece = start;
  let digits = 0;
  let marks = 0;
  let firstJoint = end;
  let index = start;
  for (; index < end; index++) {
    const kind = kindOf(text.charCodeAt(index));
    if (kind === OTHER) break;
    if (kind === JOINT) {
      if (isRare(index - piece, { digits, marks, last: before })) found.push(piece, index);
      if (piece === start) firstJoint = index;
      piece = index + 1;
      digits = 0;
      marks = 0;
    } else if (kind !== SMALL) {
      if (kind === DIGIT) digits += 1;
      else if (kind === MARK) marks += index > piece ? 1 : 0;
      // A capital in front means nothing.
      else if (kind === CAPITAL) marks += before === SMALL ? 1 : 0;
    }
    before = kind;
  }
  if (isRare(index - piece, { digits, marks, last: before })) found.push(piece, index);
  // Joints at the end are no part of a word.
  let wordEnd = index;
  while (before === JOINT && kindOf(text.charCodeAt(wordEnd - 1)) === JOINT) wordEnd -= 1;
  if (wordEnd - start > LONGEST_CHARS) found.length = foundBefore;
  else if (firstJoint < wordEnd && wordEnd - start > LEAST_CHARS) found.push(start, wordEnd);
  return index;
}

/** True for a piece without joints that is no plain word, by its digits, its marks and inner capitals, and the kind of its last unit. */
function isRare(chars: number, { digits, marks, last }: Readonly<Record<"digits" | "marks" | "last", number>>): boolean {
  if (chars < LEAST_CHARS) return false;
  if (digits === chars) return digits >= LEAST_DIGITS;
  // A mark at the end is no part of a name.
  return digits + marks > (last === MARK ? 1 : 0);
}

const BACKSLASH = 0x5c;

/** Classes of a UTF-16 unit in a word. */
const OTHER = 0;
const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 3;
const MARK = 4;
const JOINT = 5;
/** Letters of other scripts, or their marks. */
const WIDE = 6;

/** By ASCII code. */
const KINDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, unit) => {
  if (unit >= 97 && unit <= 122) return SMALL;
  if (unit >= 65 && unit <= 90) return CAPITAL;
  if (unit >= 48 && unit <= 57) return DIGIT;
  if ("_-".includes(String.fromCharCode(unit))) return MARK;
  return "./:@".includes(String.fromCharCode(unit)) ? JOINT : OTHER;
});

function kindOf(unit: number): number {
  return unit < KINDS.length ? (KINDS[unit] ?? OTHER) : WIDE;
}
