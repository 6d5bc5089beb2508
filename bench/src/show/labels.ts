/** The longest beginning, up to and with a slash, that all names have; empty if there is none. */
export function commonFolder(names: readonly string[]): string {
  const [first = ""] = names;
  let chars = first.lastIndexOf("/") + 1;
  while (chars > 0 && !names.every((name) => name.startsWith(first.slice(0, chars)))) {
    // Without the slash that it ends with: a search from before the text's beginning would find a leading one again.
    chars = first.slice(0, chars - 1).lastIndexOf("/") + 1;
  }
  return first.slice(0, chars);
}

/** With a capital at its beginning. */
export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
