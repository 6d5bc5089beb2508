/** Longer runs are data, not names; chosen. */
const LONGEST_CHARS = 200;

/** Shorter words are everywhere, and a number needs a digit more to tell anything; chosen. */
const LEAST_CHARS = 3;
const LEAST_DIGITS = 4;

/** A stretch of a text. */
interface Run {
  readonly start: number;
  readonly end: number;
}

/**
 * Visits the words of a text that tell one thing from another, in order: names with a digit, a hyphen, an underscore or a capital inside,
 * long numbers, what dots, slashes and colons join (paths, dotted names), and the rare pieces of that. What follows a backslash is
 * taken for an escape. One pass.
 */
export function forEachRareWord(text: string, visit: (word: string, start: number) => void): void {
  const places = rareRuns(text, { start: 0, end: text.length });
  for (let at = 0; at < places.length; at += 2) visit(text.slice(places[at], places[at + 1]), places[at] ?? 0);
}

/** The same of a stretch as if it were a text by itself: where the words begin and end in the text, in turn. */
export function rareRuns(text: string, { start: from, end }: Run): readonly number[] {
  const found: number[] = [];
  let start = -1;
  let kinds = 0;
  for (let index = from; index <= end; index++) {
    const kind = index < end ? kindOf(text.charCodeAt(index)) : OTHER;
    if (kind !== OTHER) {
      if (start >= 0) kinds |= kind;
      else if (kind !== JOINT) {
        start = index;
        // A capital in front tells nothing.
        kinds = kind === CAPITAL ? SMALL : kind;
      }
      continue;
    }
    // Most runs are plain words: no piece of them is rare.
    if (start >= 0 && (kinds & TELLING) !== 0) addRun(text, { start, end: index }, found);
    start = -1;
    if (index < end && text.charCodeAt(index) === BACKSLASH) index += 1;
  }
  return found;
}

function addRun(text: string, run: Run, found: number[]): void {
  let end = run.end;
  while (kindOf(text.charCodeAt(end - 1)) === JOINT) end -= 1;
  if (end - run.start > LONGEST_CHARS) return;
  let joints = 0;
  let piece = run.start;
  for (let index = run.start; index <= end; index++) {
    const isEnd = index === end;
    if (!isEnd && kindOf(text.charCodeAt(index)) !== JOINT) continue;
    if (!isEnd) joints += 1;
    if (joints > 0 && isRare(text, { start: piece, end: index })) found.push(piece, index);
    piece = index + 1;
  }
  const isWord = joints > 0 ? end - run.start > LEAST_CHARS : isRare(text, { start: run.start, end });
  if (isWord) found.push(run.start, end);
}

function isRare(text: string, { start, end }: Run): boolean {
  if (end - start < LEAST_CHARS) return false;
  let digits = 0;
  let marks = 0;
  for (let index = start; index < end; index++) {
    const kind = kindOf(text.charCodeAt(index));
    if (kind === DIGIT) digits += 1;
    else if (kind === MARK) marks += index > start && index < end - 1 ? 1 : 0;
    else if (kind === CAPITAL && index > start) marks += kindOf(text.charCodeAt(index - 1)) === SMALL ? 1 : 0;
  }
  return digits === end - start ? digits >= LEAST_DIGITS : digits + marks > 0;
}

const BACKSLASH = 0x5c;

/** What a UTF-16 unit is in a word; a bit each, so that a run's kinds can be told together. */
const OTHER = 0;
const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 4;
const MARK = 8;
const JOINT = 16;
/** Letters of other scripts, or their marks. */
const WIDE = 32;

/** A run without any of these has no rare piece. */
const TELLING = CAPITAL | DIGIT | MARK | JOINT;

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
