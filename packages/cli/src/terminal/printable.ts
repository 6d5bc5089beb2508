/** C0 and C1 controls, and the marks that turn the direction of text: a file's name could move the cursor or hide itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Outside text on one line that a terminal shows as it is; what could steer the terminal becomes `�`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, "\ufffd");
}

/** As {@link printable}, with the middle left out where it is longer than `maximumChars`: names differ at their ends. */
export function shortened(text: string, maximumChars: number): string {
  const characters = [...printable(text)];
  if (characters.length <= maximumChars) return characters.join("");
  const headChars = Math.floor((maximumChars - 1) / 3);
  const tailChars = maximumChars - 1 - headChars;
  return `${characters.slice(0, headChars).join("")}…${characters.slice(-tailChars).join("")}`;
}

/** Text of several lines without what could steer the terminal. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => printable(line.split("\t").join("    ")))
    .join("\n");
}

/** As {@link printable}, with the end left out where it is longer than `maximumChars`: for words, which begin with what matters. */
export function beginningOf(text: string, maximumChars: number): string {
  const characters = [...printable(text)];
  return characters.length <= maximumChars
    ? characters.join("")
    : `${characters
        .slice(0, maximumChars - 1)
        .join("")
        .trimEnd()}…`;
}
