import { isNothing } from "../facts/sentences.ts";
import { LINE_BREAKS } from "../message/folded-char.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/** Before what a digest says of a plan, and of the model's last words: of both the newest alone is carried over. */
export const MARKS = { done: "- Plan, done: ", open: "- Plan, open: ", nextStep: "- Said to come next: " } as const;

/** How texts are quoted. */
export interface QuoteForm {
  /** Before each of them. */
  readonly mark: string;
  /** The longest quotation in UTF-16 units. */
  readonly quoteChars: number;
  /** Which stay if there is no room for all. */
  readonly prefers: "newest" | "oldest";
}

/** As many of the texts as fit, each quoted behind its mark, in their order. The first that is tried is cut to the room if it is longer. */
export function quotesThatFit(texts: readonly string[], { mark, quoteChars, prefers }: QuoteForm, roomChars: number): string[] {
  const isNewestFirst = prefers === "newest";
  const kept: string[] = [];
  let leftChars = roomChars - mark.length - 1;
  for (let tried = 0; tried < texts.length && leftChars > 0; tried++) {
    const text = texts[isNewestFirst ? texts.length - 1 - tried : tried] ?? "";
    const quoted = quote(text, kept.length === 0 ? Math.min(quoteChars, leftChars) : quoteChars);
    if (quoted.length > leftChars) break;
    if (quoted === "") continue;
    kept.push(`${mark}${quoted}`);
    leftChars -= quoted.length + mark.length + 1;
  }
  return isNewestFirst ? kept.reverse() : kept;
}

/**
 * The text's beginning, from its first line that says something; nothing if none does. A line of it that would be a heading, a code fence or
 * a line of the digest's own is moved in.
 */
export function quote(text: string, maximumChars: number): string {
  const trimmed = text.trim();
  const start = startOfSaying(trimmed);
  if (start < 0) return "";
  const whole = trimmed.slice(start).trimStart();
  const cut = whole.length <= maximumChars ? whole : `${whole.slice(0, characterBoundaryAtOrBefore(whole, maximumChars - 1))}…`;
  const movedIn = cut.split("\n").map((line, at) => (at > 0 && isOurs(line) ? ` ${line}` : line));
  const quoted = movedIn.join("\n");
  // Most quotations have neither, and are not taken apart for each kind of line break.
  return quoted.includes("#") || quoted.includes("```") ? LINE_BREAKS.reduce(withoutHeadings, quoted) : quoted;
}

/** Where the first line begins that says something; below 0 if none does. */
function startOfSaying(text: string): number {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    if (line.trim() !== "" && !isNothing(line)) return start;
    start = end + 1;
  }
  return -1;
}

function isOurs(line: string): boolean {
  return isNothing(line) || Object.values(MARKS).some((mark) => line.startsWith(mark));
}

function withoutHeadings(quoted: string, lineBreak: string): string {
  const withoutHashes = quoted.split(`${lineBreak}#`).join(`${lineBreak} #`);
  return withoutHashes.split(`${lineBreak}\`\`\``).join(`${lineBreak} \`\`\``);
}
