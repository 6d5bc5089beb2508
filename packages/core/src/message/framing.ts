import { characterBoundaryAtOrBefore } from "../text.ts";

/**
 * Our own beginnings of lines and tags in a text for a model, in one case and script, without white space and without characters that are not seen (`foldedBeginning` writes them).
 * Text from outside in between must not read as any of it.
 *
 * - `lines`: beginnings of lines
 * - `bracketWords`: words that make a line in square brackets one of ours
 * - `tags`: names of tags
 */
export interface Framing {
  readonly lines: readonly string[];
  readonly bracketWords: readonly string[];
  readonly tags: readonly string[];
}

/** The mark before text that would read as ours. */
export const MARK = "\\";

/**
 * Text from outside, with a backslash before anything that a reader could take for the framing around it: a line that begins as one of ours does,
 * with any line break, white space, invisible characters, emphasis, case, width or look-alike letters; and one of our tags anywhere. All other text
 * is left as it is. Text with backslashes there already gets one more, so that {@link unquotedText} gives the text back. Linear.
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
  const codes = (char: string) => (LINE_BREAK.test(char) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : char);
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
 * A text's first line that is not empty, from its first visible character (`start`), in one case, width and script, without white space and invisible
 * characters: at least `mostChars` of it, if there are so many.
 */
export function foldedBeginning(text: string, mostChars: number): { readonly start: number; readonly folded: string } {
  for (const { 0: line, index } of text.matchAll(LINE)) {
    const start = seenFrom(line, 0, "");
    if (start < line.length) return { start: index + start, folded: folded(line.slice(start), mostChars) };
  }
  return { start: text.length, folded: "" };
}

/** A bracket or an angle, or a character that may look like one. */
const BRACKET = /[[<]|[^\0-\x7f]/;

function rewritten(text: string, framing: Framing, written: (char: string) => string): string {
  // Where all that is ours has a bracket or an angle, lines without one are passed over at once.
  const isBracketed = framing.lines.every((line) => line.startsWith("["));
  if (isBracketed && !BRACKET.test(text)) return text;
  return text.replace(LINE, (line) => {
    const places = isBracketed && !BRACKET.test(line) ? [] : framedPlaces(line, framing);
    if (places.length === 0) return line;
    const pieces = places.map((place, at) => line.slice((places[at - 1] ?? -1) + 1, place) + written(line.charAt(place)));
    return pieces.join("") + line.slice((places.at(-1) ?? -1) + 1);
  });
}

/** The places of a line that read as framing, in order: its first visible character, and the character behind the angle of a tag. */
function framedPlaces(line: string, framing: Framing): readonly number[] {
  const start = seenFrom(line, 0, "");
  const places = isOurLine(line.slice(seenFrom(line, start, MARK)), framing) ? [start] : [];
  if (framing.tags.length === 0 || !EITHER_ANGLE.test(line)) return places;
  // A terminal's colour code may hold an angle, too.
  const angles = [...line.matchAll(ANGLES)].map(({ index }) => index);
  return [...places, ...angles.filter((at) => at >= start && isOurTag(line.slice(at + 1), framing.tags)).map((at) => at + 1)];
}

/** The first place of a line, from one on, that is seen and is none of the characters given. */
function seenFrom(line: string, from: number, ignored: string): number {
  for (let at = from; at < line.length; ) {
    const controlEnd = colourCodeEnd(line, at);
    if (controlEnd === at && !isUnseen(line, at) && !ignored.includes(line.charAt(at))) return at;
    at = Math.max(controlEnd, at + charAt(line, at).length);
  }
  return line.length;
}

/** Where a terminal's colour code that begins here ends; here if there is none. */
function colourCodeEnd(line: string, start: number): number {
  if (!line.startsWith("\u001b[", start)) return start;
  let at = start + 2;
  while (line.charAt(at) >= "0" && line.charAt(at) <= "?") at += 1;
  return Math.min(line.length, at + 1);
}

/** Characters of a line in brackets within which its words are looked for: longer ones are data; chosen. */
const BRACKETED_CHARS = 400;

function isOurLine(line: string, { lines, bracketWords }: Framing): boolean {
  const first = foldedChar(charAt(line, 0));
  const alike = lines.filter((each) => first.startsWith(each.charAt(0)));
  if (alike.length === 0 && !first.startsWith("[")) return false;
  const beginning = folded(line, Math.max(0, ...alike.map(({ length }) => length)));
  if (alike.some((each) => beginning.startsWith(each))) return true;
  if (bracketWords.length === 0 || !first.startsWith("[")) return false;
  const bracketed = folded(line, BRACKETED_CHARS);
  return bracketWords.some((word) => bracketed.includes(word));
}

/** Characters that {@link foldedChar} writes as the angle that opens a tag, of one unit. A regular expression finds it without a string for each character. */
const ANGLES = /[<\u02c2\u2039\u226e\u2329\u276e\u27e8\u3008\ufe64\uff1c]/g;
/** The same, and the written forms of the angle that closes one. */
const EITHER_ANGLE =
  /[<\u02c2\u2039\u226e\u2329\u276e\u27e8\u3008\ufe64\uff1c>\u02c3\u203a\u226f\u232a\u276f\u27e9\u3009\ufe65\uff1e]/;

/** Whether the text behind the angle is one of our tags: after a slash the name's beginning, else the whole name of a tag that ends on its line. */
function isOurTag(behind: string, tags: readonly string[]): boolean {
  const slash = seenFrom(behind, 0, MARK);
  const isClosing = foldedChar(charAt(behind, slash)) === "/";
  const longest = tags.reduce((chars, tag) => Math.max(chars, tag.length), 0);
  let at = isClosing ? seenFrom(behind, slash + 1, MARK) : slash;
  let firstWord: string | null = null;
  let name = "";
  while (at < behind.length && name.length <= longest) {
    const char = charAt(behind, at);
    const isSpace = isBlank(char);
    const written = isSpace || isIgnored(char) ? "" : foldedChar(char);
    if (!/^[\p{L}\p{N}-]*$/u.test(written)) break;
    if (isSpace) firstWord ??= name;
    name += written;
    at += char.length;
  }
  if (isClosing) return tags.some((tag) => name.startsWith(tag));
  const [angle = ""] = EITHER_ANGLE.exec(behind.slice(at)) ?? [];
  return tags.some((tag) => tag === name || tag === firstWord) && foldedChar(angle) === ">";
}

/** A line's first characters in one case, width and script, without those that are not seen. */
function folded(line: string, mostChars: number): string {
  let result = "";
  for (let at = 0; at < line.length && result.length < mostChars; ) {
    const char = charAt(line, at);
    if (!isIgnored(char) && !isBlank(char)) result += foldedChar(char);
    at += char.length;
  }
  return result;
}

/** Tags around the kept parts beside a summary or notice, those of earlier versions too. */
const CONTEXT_TAGS = [
  "excerpts",
  "recalled",
  "pinned-instructions",
  "pinned-passages",
  "running-things",
  "plan-items",
  "modified-files",
  "read-files",
  "last-errors",
] as const;

/**
 * Our own beginnings of lines and tags in a context: the header of a summary, notices, stubs and the lines in the place of left-out text, recalled
 * passages under their handles, facts. Outside text that is written in between (a summary, a digest, facts, passages, a result as it enters history) must
 * not read as any of it.
 */
export const CONTEXT_FRAMING: Framing = {
  lines: ["[conversationsummary:", "[notice:thehistory", "[compacted", "[requestoftheprogram", "[\u2026"],
  bracketWords: [";handle"],
  tags: CONTEXT_TAGS,
};

/** Characters that a reader may take for the end of a line: the breaks of Unicode, and the separators that some programs split at. */
export const LINE_BREAKS: readonly string[] = [..."\n\v\f\r\u001c\u001d\u001e\u0085\u2028\u2029"];

/** Finds one of {@link LINE_BREAKS}, and the lines between them. */
const LINE_BREAK: RegExp = new RegExp(`[${LINE_BREAKS.join("")}]`);
const LINE: RegExp = new RegExp(`[^${LINE_BREAKS.join("")}]+`, "g");

function isBlank(char: string): boolean {
  return char.length === 1 && char <= "\x7f" ? char === " " || char === "\t" : /^\s$/.test(char);
}

/** Characters that change how text looks, or nothing at all: zero-width ones, control characters, marks on letters, Markdown's emphasis. */
const UNSEEN = /^[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}*_`~\u2800]$/u;

/** Whether a reader passes over that character at the beginning of a line. A star before white space is a bullet, which is seen. */
function isUnseen(text: string, index: number): boolean {
  const char = charAt(text, index);
  if (char === "*" && isBlank(text.charAt(index + 1))) return false;
  return isIgnored(char) || isBlank(char);
}

function isIgnored(char: string): boolean {
  if (isPlain(char)) return char === "_" || char === "*" || char === "`" || char === "~";
  return char !== " " && UNSEEN.test(char);
}

function charAt(text: string, index: number): string {
  const code = text.codePointAt(index);
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** The character in lower case, ASCII if it looks like it: width, style and accents do not count. Some are several units long. */
export function foldedChar(char: string): string {
  if (isPlain(char)) return char.toLowerCase();
  const plain = LOOK_ALIKES.get(char);
  if (plain !== undefined) return plain;
  if (/^\p{Ps}$/u.test(char)) return "[";
  if (/^\p{Pe}$/u.test(char)) return "]";
  const lower = char.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return [...lower].map((each) => LOOK_ALIKES.get(each) ?? each).join("");
}

function isPlain(char: string): boolean {
  return char.length === 1 && char > " " && char < "\x7f";
}

/** Letters of other scripts, and marks, that are drawn as ASCII ones are; chosen from Unicode's list of confusables, after compatibility forms. */
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: "\u0430\u0410\u03b1\u0391\u0251",
    b: "\u0412\u0392\u042c",
    c: "\u0441\u0421\u03f2",
    d: "\u0501",
    e: "\u0435\u0415\u0395",
    g: "\u0261",
    h: "\u04bb\u041d\u0397",
    i: "\u0456\u0406\u0399\u0131\u03b9",
    j: "\u0458\u0408",
    k: "\u043a\u041a\u039a\u03ba",
    l: "\u04cf\u04c0",
    m: "\u041c\u039c\u043c",
    n: "\u039d",
    o: "\u043e\u041e\u03bf\u039f",
    p: "\u0440\u0420\u03c1\u03a1",
    s: "\u0455\u0405",
    t: "\u0422\u03a4\u0442\u03c4",
    u: "\u03c5\u057d",
    v: "\u03bd\u0475",
    w: "\u0461",
    x: "\u0445\u0425\u03a7\u03c7",
    y: "\u0443\u0423\u03a5\u03b3",
    z: "\u0396",
    ":": "\ua789\u2236\u02d0\ufe55\u05c3\u0589\u0703",
    "<": "\u2039\u2329\u3008\u27e8\u276e\u02c2",
    ">": "\u203a\u232a\u3009\u27e9\u276f\u02c3",
    "/": "\u2044\u2215\u29f8\u2571",
    "\u2026": "\u2026\u22ef",
  }).flatMap(([plain, alike]) => [...alike].map((char) => [char, plain] as const)),
);
