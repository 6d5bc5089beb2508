/** Columns of a terminal that everything must fit. */
const COLUMNS = 80;

/** What stands before the first line, and before each further one. */
export interface LineStarts {
  readonly first: string;
  readonly further: string;
}

/** A text broken between words into lines of at most 80 characters; a word that is longer stands alone. */
export function wrapped(text: string, { first, further }: LineStarts): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && [...line].length + 1 + [...word].length > COLUMNS) {
      lines.push(line);
      line = further;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
