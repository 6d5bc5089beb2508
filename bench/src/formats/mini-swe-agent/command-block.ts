/** The one command of a reply, with the text around its block. */
export interface CommandBlock {
  readonly before: string;
  readonly command: string;
  readonly after: string;
}

const OPENING = "```bash";
const CLOSING = "\n```";

/**
 * The command of a reply that has exactly one block fenced as bash; `null` with none or several. A block ends at the first line that
 * begins with the fence. One pass over the text.
 */
export function onlyCommandBlock(text: string): CommandBlock | null {
  let found: CommandBlock | null = null;
  let position = 0;
  for (let start = text.indexOf(OPENING); start >= 0; start = text.indexOf(OPENING, position)) {
    const lineEnd = text.indexOf("\n", start);
    const isFence = lineEnd >= 0 && text.slice(start + OPENING.length, lineEnd).trim() === "";
    const end = isFence ? text.indexOf(CLOSING, lineEnd) : -1;
    if (end < 0) {
      position = start + OPENING.length;
      continue;
    }
    if (found !== null) return null;
    position = end + CLOSING.length;
    found = { before: text.slice(0, start), command: text.slice(lineEnd + 1, end).trim(), after: text.slice(position) };
  }
  return found;
}
