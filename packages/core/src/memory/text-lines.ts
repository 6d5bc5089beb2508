/** One line of a text: the beginning and end of its content, and the number that a tool put before it. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
  /** The number in front of it; `null` if there is none. */
  readonly number: number | null;
}

/** Share of the lines that must have a number before the numbers are taken for a tool's; chosen. */
const NUMBERED_RATIO = 0.75;

/** The lines of a text. If a tool has numbered them, they begin behind their numbers. One pass. */
export function textLines(text: string): readonly TextLine[] {
  return withoutNumbers(text, linesAsTheyStand(text));
}

/** The header that a tool writes above a command's output: its exit among names with values, then only a name, as in `Exit code: 0`, `Wall time: 1 second`, `Output:`. */
const HEADER = /^(?=(?:.+\n){0,7}.*\bcode:? -?\d+\n)(?:[A-Z][^\n:]{2,40}(?:: [^\n]+| \d+)\n){1,8}[A-Z]\w+:(?:\n|$)/;

/** A line that a tool puts around its output: blank, or from its beginning a tag, an element, or two words at least in brackets without quotes. */
const FRAME =
  /^(?:<\/?[a-z][^<>]*>|<([a-z][\w-]*)[^<>]*>[^<>]*<\/\1>|(?=[^"'{]*[\p{L}\d] \p{L})(?:\[[^[\]]*\]|\([^()]*\)))?\s*$/u;
const MOST_OF_FRAME = { lines: 12, chars: 320 } as const;

/** A result that shows nothing, and says so only in words in brackets: `(no output)`; a list has figures or quotes. */
const NOTHING = /^\s{0,8}(?:[([][\p{L} .'’-]{1,40}[)\]]\s{0,8})?$/u;

/**
 * The lines of a result without the header above it and the frame at both its ends. A frame around nothing is the result's content, unless it says that it shows
 * nothing.
 */
export function shownLines(text: string): readonly TextLine[] {
  const headerChars = HEADER.exec(text)?.[0].length ?? 0;
  const lines = linesAsTheyStand(text).filter(({ start }) => start >= headerChars);
  const isFrame = ({ start, end }: TextLine) => end - start <= MOST_OF_FRAME.chars && FRAME.test(text.slice(start, end));
  const first = lines.findIndex((line, at) => at === MOST_OF_FRAME.lines || !isFrame(line));
  const last = lines.findLastIndex((line, at) => at === lines.length - 1 - MOST_OF_FRAME.lines || !isFrame(line));
  if (first >= 0 && first <= last) return withoutNumbers(text, lines.slice(first, last + 1));
  return NOTHING.test(text.slice(headerChars)) ? [] : lines;
}

function linesAsTheyStand(text: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    lines.push({ start, end, number: null });
    start = end + 1;
  }
  return lines;
}

function withoutNumbers(text: string, lines: readonly TextLine[]): readonly TextLine[] {
  let [filled, numbers] = [0, 0];
  const numbered = lines.map((line): TextLine => {
    if (line.end > line.start) filled += 1;
    NUMBER.lastIndex = line.start;
    const found = NUMBER.exec(text);
    if (found === null) return line;
    numbers += 1;
    return { start: NUMBER.lastIndex, end: line.end, number: Number(found[1]) };
  });
  return numbers >= 2 && numbers >= NUMBERED_RATIO * filled ? numbered : lines;
}

/** A line's number: no tool sets it further in, and no file has more lines than seven digits count; chosen. */
const NUMBER = /[ \t]{0,12}(\d{1,7})(?:[→\t]|[:|] ?)/y;

/** Lines with fewer characters say nothing that distinguishes them from others; chosen. */
const TELLING_CHARS = 4;

/** Hashes a line to 32 bits, white space around it left out; 0 for a line of fewer than 4 characters. */
export function lineHash(text: string, { start, end }: Pick<TextLine, "start" | "end">): number {
  let from = start;
  let to = end;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return to - from < TELLING_CHARS ? 0 : textHash(text, from, to);
}

const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
/** Of MurmurHash3's last steps, which spread the upper bits (https://github.com/aappleby/smhasher). */
const SPREAD = 0x85ebca6b;

/**
 * 32 bits, never 0: FNV-1a over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/), of every second unit by itself and put together, since each step of one
 * waits for the one before it. Of 309,099 words and lines of recorded sessions 12 had the hash of another, as with one over all units (2026-11-24).
 */
export function textHash(text: string, start: number, end: number): number {
  let one = FNV_START;
  let other = FNV_START;
  let at = start;
  for (; at + 1 < end; at += 2) {
    one = Math.imul(one ^ text.charCodeAt(at), FNV_PRIME);
    other = Math.imul(other ^ text.charCodeAt(at + 1), FNV_PRIME);
  }
  if (at < end) one = Math.imul(one ^ text.charCodeAt(at), FNV_PRIME);
  const hash = Math.imul(one ^ (one >>> 15), SPREAD) ^ other;
  return hash === 0 ? 1 : hash;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0d;
}
