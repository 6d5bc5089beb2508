/** The longest beginning, up to and with a slash, that all names have; empty where there is none. */
export function commonFolder(names: readonly string[]): string {
  const [first = ""] = names;
  let chars = first.lastIndexOf("/") + 1;
  while (chars > 0 && !names.every((name) => name.startsWith(first.slice(0, chars)))) {
    // Without the slash that it ends with: a search from before the text's beginning would find a leading one again.
    chars = first.slice(0, chars - 1).lastIndexOf("/") + 1;
  }
  return first.slice(0, chars);
}
