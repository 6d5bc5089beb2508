/** Words that `sh` takes as they are. A word with `=` is quoted: at the beginning of a line it would set a variable. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+:,./-]+$/;

/** A program and its arguments as one command line for `sh` that runs just that. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.split("'").join("'\\''")}'`)).join(" ");
}
