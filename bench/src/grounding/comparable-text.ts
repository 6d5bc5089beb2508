/**
 * A text as it is compared with others: line ends are `\n`, no line ends with white space, and the numbering that tools put before lines
 * is gone. Digits and an arrow are a number on any line; digits and a tab, a bar or a colon are one if most lines begin so. Linear.
 */
export function comparableText(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  const hasNumbers = areMostlyNumbered(lines);
  return lines.map((line) => withoutNumber(line, hasNumbers)).join("\n");
}

/** A text's line at a number that a tool put before it; `null` if the text has no such numbers there. */
export function numberedLines(text: string): ReadonlyMap<number, string> | null {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  const hasNumbers = areMostlyNumbered(lines);
  const found = new Map<number, string>();
  for (const line of lines) {
    const number = ARROW_NUMBER.exec(line) ?? (hasNumbers ? LINE_NUMBER.exec(line) : null);
    if (number !== null) found.set(Number.parseInt(number[0], 10), line.slice(number[0].length));
  }
  return found.size === 0 ? null : found;
}

/** No file has more digits' worth of lines; the bound keeps a line of digits alone from being read as a number. */
const ARROW_NUMBER = /^[ \t]{0,12}\d{1,7}→/;
const LINE_NUMBER = /^[ \t]{0,12}\d{1,7}(?:\t|: ?|\| ?)/;

/** Share of the lines that must begin with a number before a number alone is taken for one (docs/protocol.md). */
const NUMBERED_SHARE = 0.75;

function areMostlyNumbered(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line !== "");
  const numbered = filled.filter((line) => LINE_NUMBER.test(line));
  return numbered.length > 1 && numbered.length >= NUMBERED_SHARE * filled.length;
}

function withoutNumber(line: string, hasNumbers: boolean): string {
  const number = ARROW_NUMBER.exec(line) ?? (hasNumbers ? LINE_NUMBER.exec(line) : null);
  return number === null ? line : line.slice(number[0].length);
}
