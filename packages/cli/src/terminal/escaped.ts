/**
 * Characters that show nothing, show as a blank, or steer the terminal: controls, marks of direction, zero-width and other ignorable characters,
 * separators, blanks other than the space, private and unassigned ones.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const NAMED: { readonly [character: string]: string | undefined } = { "\n": "\\n", "\r": "\\r", "\u001b": "\\e" };
const HEXADECIMAL = 16;

/** Outside text in which everything can be seen: tabs become four spaces, characters that could hide or steer become `\r`, `\e` or `\u{202e}`. */
export function escaped(text: string): string {
  return text
    .split("\t")
    .join("    ")
    .replace(UNSEEN, (character) => {
      return NAMED[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(HEXADECIMAL)}}`;
    });
}

/** Beyond this range a character may take two columns. */
const LAST_NARROW = 0x2ff;

/** An escaped line, cut so that each row takes at most so many columns: no row can begin where the terminal would break it. */
export function cutRows(line: string, maximumColumns: number): readonly string[] {
  const rows: string[] = [];
  let row = "";
  let columns = 0;
  for (const character of line) {
    const width = (character.codePointAt(0) ?? 0) > LAST_NARROW ? 2 : 1;
    if (columns + width > maximumColumns) {
      rows.push(row);
      row = "";
      columns = 0;
    }
    row += character;
    columns += width;
  }
  return [...rows, row];
}
