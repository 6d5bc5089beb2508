/** Longer runs are data, not names; chosen. */
const LONGEST_CHARS = 200;

/** Shorter words are everywhere, and a number needs a digit more to tell anything; chosen. */
const LEAST_CHARS = 3;
const LEAST_DIGITS = 4;

/**
 * Visits the words of a text that tell one thing from another, in order: names with a digit, a hyphen, an underscore or a capital inside,
 * long numbers, what dots, slashes and colons join (paths, dotted names), and the rare pieces of that. What follows a backslash is
 * taken for an escape. One pass.
 */
export function forEachRareWord(text: string, visit: (word: string, start: number) => void): void {
  let start = -1;
  for (let index = 0; index <= text.length; index++) {
    const kind = index < text.length ? kindOf(text.charCodeAt(index)) : "other";
    if (kind === "name" && start < 0) start = index;
    if (kind !== "other") continue;
    if (start >= 0) visitRun(text, { start, end: index }, visit);
    start = -1;
    if (text.charCodeAt(index) === BACKSLASH) index += 1;
  }
}

interface Run {
  readonly start: number;
  readonly end: number;
}

function visitRun(text: string, run: Run, visit: (word: string, start: number) => void): void {
  let end = run.end;
  while (kindOf(text.charCodeAt(end - 1)) === "joint") end -= 1;
  if (end - run.start > LONGEST_CHARS) return;
  let joints = 0;
  let piece = run.start;
  for (let index = run.start; index <= end; index++) {
    const isEnd = index === end;
    if (!isEnd && kindOf(text.charCodeAt(index)) !== "joint") continue;
    if (!isEnd) joints += 1;
    if (joints > 0 && isRare(text, { start: piece, end: index })) visit(text.slice(piece, index), piece);
    piece = index + 1;
  }
  const isWord = joints > 0 ? end - run.start > LEAST_CHARS : isRare(text, { start: run.start, end });
  if (isWord) visit(text.slice(run.start, end), run.start);
}

function isRare(text: string, { start, end }: Run): boolean {
  if (end - start < LEAST_CHARS) return false;
  let digits = 0;
  let marks = 0;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (isDigit(unit)) digits += 1;
    else if (unit === HYPHEN || unit === UNDERSCORE) marks += index > start && index < end - 1 ? 1 : 0;
    else if (isCapital(unit) && index > start) marks += isSmall(text.charCodeAt(index - 1)) ? 1 : 0;
  }
  return digits === end - start ? digits >= LEAST_DIGITS : digits + marks > 0;
}

const [HYPHEN, DOT, SLASH, COLON, AT, BACKSLASH, UNDERSCORE] = [45, 46, 47, 58, 64, 92, 95];

/** Units above are letters of other scripts, or their marks. */
const LAST_ASCII = 127;

function kindOf(unit: number): "name" | "joint" | "other" {
  if (isSmall(unit) || isCapital(unit) || isDigit(unit)) return "name";
  if (unit === UNDERSCORE || unit === HYPHEN || unit > LAST_ASCII) return "name";
  return unit === DOT || unit === SLASH || unit === COLON || unit === AT ? "joint" : "other";
}

function isSmall(unit: number): boolean {
  return unit >= 97 && unit <= 122;
}

function isCapital(unit: number): boolean {
  return unit >= 65 && unit <= 90;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}
