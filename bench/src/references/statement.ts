/** Lines up to this length are taken whole; chosen, about four lines of a terminal. */
const WHOLE_LINE_CHARS = 320;

/** What is taken of a longer line around a reference: enough to tell what is said of it; chosen. */
const WINDOW_CHARS = 160;

/**
 * What must be readable for a line to count as readable: the line without the white space around it, or of a line of more than
 * 320 characters a window of 160 around the reference. `offset` is where the reference stands in it.
 */
export interface Statement {
  readonly window: string;
  readonly offset: number;
}

/** Reads the statements of one text, whose places come in order: each line is trimmed once. */
export function createStatementReader(text: string): (start: number, end: number) => Statement {
  let line = { from: 0, through: -1, window: "" };
  return (start, end) => {
    if (start < line.from || end > line.through) line = lineAround(text, start, end);
    if (line.through - line.from <= WHOLE_LINE_CHARS) return { window: line.window, offset: start - line.from };
    const marginChars = Math.max(0, Math.floor((WINDOW_CHARS - (end - start)) / 2));
    const from = Math.max(line.from, start - marginChars);
    return { window: text.slice(from, Math.min(line.through, end + marginChars)), offset: start - from };
  };
}

/** The line (or, for a string over several, lines) that holds `start … end`, without the white space around it. */
function lineAround(text: string, start: number, end: number): { from: number; through: number; window: string } {
  const lineStart = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const newline = text.indexOf("\n", end);
  const line = text.slice(lineStart, newline < 0 ? text.length : newline);
  const window = line.trim();
  const from = lineStart + line.length - line.trimStart().length;
  return { from, through: from + window.length, window };
}
