import { characterBoundaryAtOrBefore } from "../text.ts";
import { charAt, foldedChar, isBlank, isIgnored, isLineBreak, isUnseen, LINE_BREAK } from "./folded-char.ts";
import { beginningsOf, beginsNothing, type Framing, MARK } from "./framing-beginnings.ts";

/**
 * Text from outside, with a backslash before what a reader could take for the framing around it: a line that begins as one of ours
 * does, whatever its line break, white space, invisible characters, emphasis, case, width or look-alike letters; and one of our
 * tags anywhere. All other text is left as it is. What has backslashes there already gets one more, so that {@link unquotedText} gives
 * the text back. Linear.
 */
export function quotedText(text: string, framing: Framing): string {
  return rewritten(text, framing, (char) => `${MARK}${char}`);
}

/** The text that {@link quotedText} was given. */
export function unquotedText(text: string, framing: Framing): string {
  if (!text.includes(MARK)) return text;
  return rewritten(text, framing, (char) => (char === MARK ? "" : char));
}

/** Text for the middle of a line: itself, or as a JSON string if it has a line break or begins as such a string does. */
export function textOnOneLine(text: string): string {
  if (!text.startsWith('"') && !LINE_BREAK.test(text)) return text;
  const codes = (char: string) => (isLineBreak(char) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : char);
  return [...JSON.stringify(text)].map(codes).join("");
}

/** Characters of a name that a head or stub shows; chosen: the longest names of tools have 64. */
const NAME_CHARS = 64;

/** A name for the middle of a line in brackets, such as a stub: on one line, not too long, and without the mark before a handle. */
export function nameInBrackets(name: string, mostChars: number = NAME_CHARS): string {
  const line = textOnOneLine(name)
    .split(/[;\u037e\uff1b]/u)
    .join(",");
  return line.length <= mostChars ? line : `${line.slice(0, characterBoundaryAtOrBefore(line, mostChars - 1))}…`;
}

/**
 * A text's first line that is not empty, from its first character that is seen (`start`), in one case, width and script, without white
 * space and without what is not seen: at least `mostChars` of it, if there are so many.
 */
export function foldedBeginning(text: string, mostChars: number): { readonly start: number; readonly folded: string } {
  let line = lineOf(text, 0);
  while (line.start === line.end && line.end < text.length) line = lineOf(text, line.end + 1);
  return { start: line.start, folded: foldedFrom(text, line, mostChars) };
}

function rewritten(text: string, framing: Framing, written: (char: string) => string): string {
  if (text.search(beginningsOf(framing).candidate) < 0) return text;
  const pieces: string[] = [];
  let done = 0;
  for (const place of framedPlaces(text, framing)) {
    pieces.push(text.slice(done, place), written(text.charAt(place)));
    done = place + 1;
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(done)].join("");
}

/**
 * Where what reads as framing begins, in order: the first character of a line that is seen, and what follows the angle of a tag. Only lines
 * with a character by which framing begins are looked at.
 */
function* framedPlaces(text: string, framing: Framing): Generator<number> {
  const beginnings = beginningsOf(framing);
  const { firstChars, candidate } = beginnings;
  let nextLine = 0;
  for (let from = 0; from < text.length; ) {
    const chars = text.slice(from).search(candidate);
    if (chars < 0) return;
    const place = from + chars;
    if (beginsNothing(text, place, beginnings)) {
      from = place + 1;
      continue;
    }
    const line = lineOf(text, lineStart(text, { start: nextLine, end: place }));
    const head = seenFrom(text, line, MARK);
    if (firstChars.has(foldedChar(charAt(text, head)).charAt(0)) && isOurLine(text, { start: head, end: line.end }, framing))
      yield line.start;
    // A terminal's colour code may hold an angle, too.
    if (framing.tags.length > 0)
      for (let at = angleFrom(text, line); at < line.end; at = angleFrom(text, { start: at + 1, end: line.end }))
        if (isOurTag(text, { start: at + 1, end: line.end }, framing.tags)) yield at + 1;
    nextLine = line.end + 1;
    from = nextLine;
  }
}

/** Where the line of the stretch's end begins, if the stretch begins with a line. */
function lineStart(text: string, { start, end }: Stretch): number {
  let at = end;
  while (at > start && !isLineBreak(text.charAt(at - 1))) at -= 1;
  return at;
}

/** The first angle in a stretch that opens a tag; its end if there is none. */
function angleFrom(text: string, { start, end }: Stretch): number {
  const chars = text.slice(start, end).search(ANGLE);
  return chars < 0 ? end : start + chars;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The line from a place on, without what is not seen at its beginning. */
function lineOf(text: string, from: number): Stretch {
  const chars = text.slice(from).search(LINE_BREAK);
  const end = chars < 0 ? text.length : from + chars;
  return { start: seenFrom(text, { start: from, end }, ""), end };
}

/** The first place in a stretch that is seen and is none of the characters given. */
function seenFrom(text: string, { start, end }: Stretch, ignored: string): number {
  for (let at = start; at < end; ) {
    const controlEnd = colourCodeEnd(text, { start: at, end });
    if (controlEnd === at && !isUnseen(text, at) && !ignored.includes(text.charAt(at))) return at;
    at = Math.max(controlEnd, at + charAt(text, at).length);
  }
  return end;
}

/** Where a terminal's colour code that begins here ends; here if there is none. */
function colourCodeEnd(text: string, { start, end }: Stretch): number {
  if (text.charCodeAt(start) !== 0x1b || text.charAt(start + 1) !== "[") return start;
  let at = start + 2;
  while (at < end && text.charAt(at) >= "0" && text.charAt(at) <= "?") at += 1;
  return Math.min(end, at + 1);
}

/** Characters of a line in brackets within which its words are looked for: longer ones are data; chosen. */
const BRACKETED_CHARS = 400;

function isOurLine(text: string, line: Stretch, { lines, bracketWords }: Framing): boolean {
  const longest = lines.reduce((chars, each) => Math.max(chars, each.length), 0);
  const beginning = foldedFrom(text, line, longest);
  if (lines.some((each) => beginning.startsWith(each))) return true;
  if (bracketWords.length === 0 || !beginning.startsWith("[")) return false;
  const bracketed = foldedFrom(text, line, BRACKETED_CHARS);
  return bracketWords.some((word) => bracketed.includes(word));
}

/** Characters that {@link foldedChar} writes as the angle that opens a tag, of one unit. A regular expression finds it without a string for each character. */
const ANGLE = /[<\u02c2\u2039\u226e\u2329\u276e\u27e8\u3008\ufe64\uff1c]/;
/** The same, and what is written as the angle that closes one. */
const EITHER_ANGLE =
  /[<\u02c2\u2039\u226e\u2329\u276e\u27e8\u3008\ufe64\uff1c>\u02c3\u203a\u226f\u232a\u276f\u27e9\u3009\ufe65\uff1e]/;

/**
 * Tells whether the text behind the angle is the name of one of our tags: after a slash its beginning, else the whole name of a tag that ends on its
 * line, with or without attributes.
 */
function isOurTag(text: string, { start, end }: Stretch, tags: readonly string[]): boolean {
  const slash = seenFrom(text, { start, end }, MARK);
  const isClosing = foldedChar(charAt(text, slash)) === "/";
  const longest = tags.reduce((chars, tag) => Math.max(chars, tag.length), 0);
  let at = isClosing ? seenFrom(text, { start: slash + 1, end }, MARK) : slash;
  let firstWord: string | null = null;
  let name = "";
  while (at < end && name.length <= longest) {
    const char = charAt(text, at);
    const isSpace = isBlank(char);
    const written = isSpace || isIgnored(char) ? "" : foldedChar(char);
    if (!/^[\p{L}\p{N}-]*$/u.test(written)) break;
    if (isSpace) firstWord ??= name;
    name += written;
    at += char.length;
  }
  if (isClosing) return tags.some((tag) => name.startsWith(tag));
  return tags.some((tag) => tag === name || tag === firstWord) && isClosed(text, { start: at, end });
}

/** Whether a tag ends before another one begins. */
function isClosed(text: string, { start, end }: Stretch): boolean {
  const at = text.slice(start, end).search(EITHER_ANGLE);
  return at >= 0 && foldedChar(text.charAt(start + at)) === ">";
}

/** At least so many characters of the folded stretch, if it has them. */
function foldedFrom(text: string, { start, end }: Stretch, mostChars: number): string {
  let result = "";
  for (let at = start; at < end && result.length < mostChars; ) {
    const char = charAt(text, at);
    if (!isIgnored(char) && !isBlank(char) && !isLineBreak(char)) result += foldedChar(char);
    at += char.length;
  }
  return result;
}

/** Tags around what survives with a summary or notice. */
const CONTEXT_TAGS = [
  "excerpts",
  "recalled",
  "pinned-instructions",
  "orders-in-force",
  "asked-before",
  "running-things",
  "plan-items",
  "decisions-made",
  "modified-files",
  "read-files",
  "last-errors",
] as const;

/**
 * Our own beginnings of lines and tags in a context: the header of a summary, notices, stubs and the lines in the place of left-out text, excerpts
 * under their handles, facts. Outside text that is written in between (a summary, a digest, facts, excerpts, a result as it enters history) must not
 * read as any of it.
 */
export const CONTEXT_FRAMING: Framing = {
  lines: ["[conversationsummary:", "[notice:thehistory", "[compacted", "[requestoftheprogram", "[\u2026"],
  bracketWords: [";handle"],
  tags: CONTEXT_TAGS,
};
