import type { Output } from "./io.ts";

/**
 * C0 and C1 controls, marks that turn the direction of text, characters without width and strokes over others: a file's name could move the cursor,
 * hide itself, or look like another one. Marks that make a sign an emoji stay.
 */
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex lint/suspicious/noMisleadingCharacterClass: these are the characters to replace
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\u0334-\u0338\u20d2-\u20eb]|(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** Outside text on one line as a terminal shows it: tabs are spaces, and characters that could steer the terminal become `�`. */
export function printable(text: string): string {
  return text.replaceAll("\t", " ").replace(UNPRINTABLE, "\ufffd");
}

/** As {@link printable}, with the middle left out if it is longer than `maximumChars`: names differ at their ends. */
export function shortened(text: string, maximumChars: number): string {
  const characters = [...printable(text)];
  if (characters.length <= maximumChars) return characters.join("");
  const headChars = Math.floor((maximumChars - 1) / 3);
  const tailChars = maximumChars - 1 - headChars;
  return `${characters.slice(0, headChars).join("")}…${characters.slice(-tailChars).join("")}`;
}

/** As {@link printable}, with the end left out if it is longer than `maximumChars`: for words, whose beginning matters most. */
export function beginningOf(text: string, maximumChars: number): string {
  return firstOf([...printable(text)], maximumChars);
}

/** The first characters, with `…` in place of the rest if there are more. */
export function firstOf(characters: readonly string[], most: number): string {
  const first = characters.slice(0, most - 1).join("");
  return characters.length <= most ? characters.join("") : `${first.trimEnd()}…`;
}

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

/** Columns of a terminal that everything must fit. */
export const COLUMNS = 80;

/** How wide tables for an output may be: as its terminal, if that is wider than all must fit. A file or pipe has no width of its own. */
export function tableColumns({ isTTY, columns = COLUMNS }: Output): number {
  return isTTY === true ? Math.max(COLUMNS, columns) : COLUMNS;
}

/** Lines of prose, the long ones broken between words; continued lines start under their line's own beginning, a little to the right. */
export function fitted(text: string): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const [indent = ""] = /^ */.exec(line) ?? [];
      return [...line].length <= COLUMNS ? [line] : wrapped(line.trimStart(), { first: indent, further: `${indent}  ` });
    })
    .join("\n");
}

/** Says lines, broken between words if a person looks at them; outside text in them steers no terminal. */
export function say(output: Output, ...lines: readonly string[]): void {
  const broken = output.isTTY === true ? fitted : String;
  for (const line of lines) output.write(`${broken(printable(line))}\n`);
}

/** Says lines on the error output, each behind the program's name and broken between words. */
export function tell({ stderr }: { readonly stderr: Output }, ...lines: readonly string[]): void {
  const broken = (line: string) => wrapped(printable(line), { first: "plimsoll: ", further: "  " });
  for (const line of lines) stderr.write(`${broken(line).join("\n")}\n`);
}

/** A text broken between words into lines of at most 80 characters, or so many; a longer word has a line of its own. */
export function wrapped(
  text: string,
  { first = "", further = "" }: { readonly first?: string; readonly further?: string } = {},
  columns: number = COLUMNS,
): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(" ")) {
    if (!isEmpty && [...line].length + 1 + [...word].length > columns) {
      lines.push(line);
      line = further;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
