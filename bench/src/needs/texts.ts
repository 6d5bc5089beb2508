import { type Message, type Part, textOf } from "@plimsoll/core";
import { jsonIn } from "@plimsoll/core/extend";

/** The texts of a message in which places are counted: one text part, one tool result, or one value in a call's arguments (docs/evidence.md). */
export function comparedTexts(message: Message): readonly string[] {
  return message.role === "tool-result" ? [textOf(message)] : messageTexts(message);
}

/**
 * A text as it is compared with others: lines end only at `\n`, without white space, and the numbering that tools put before lines is gone. Digits
 * and an arrow are a number on any line; digits and a tab, a bar or a colon are one if most lines begin so (docs/evidence.md). Linear.
 */
export function comparableText(text: string): string {
  return comparable(text).text;
}

/** Its text and lines. Most texts are compared unchanged. */
export function comparable(text: string): { readonly text: string; readonly lines: readonly string[] } {
  const found = text.split("\n");
  const numbering = numberingOf(found);
  const isNumbered = numbering !== null || text.includes("→");
  let isSame = true;
  const lines = found.map((line) => {
    const compared = (isNumbered ? line.slice(numberChars(line, numbering)) : line).trimEnd();
    isSame &&= compared.length === line.length;
    return compared;
  });
  return { text: isSame ? text : lines.join("\n"), lines };
}

/** A text's line at a number that a tool put before it; `null` if the text has no such numbers there. */
export function numberedLines(text: string): ReadonlyMap<number, string> | null {
  const lines = text.split("\n");
  const numbering = numberingOf(lines);
  const found = new Map<number, string>();
  for (const line of lines) {
    const chars = numberChars(line, numbering);
    if (chars > 0) found.set(Number.parseInt(line, 10), line.slice(chars).trimEnd());
  }
  return found.size === 0 ? null : found;
}

/**
 * The header that a tool writes above a command's output: its exit among names with values, then only a name, as in `Exit code: 0`, `Wall time: 1
 * second`, `Output:`.
 */
const HEADER = /^(?=(?:.+\n){0,7}.*\bcode:? -?\d+\n)(?:[A-Z][^\n:]{2,40}(?:: [^\n]+| \d+)\n){1,8}[A-Z]\w+:\n/;
const MOST_HEADER_LINES = 9;

/** How many lines of a text are such a header (docs/evidence.md). */
function headerLines(lines: readonly string[]): number {
  const [header = ""] = HEADER.exec(lines.slice(0, MOST_HEADER_LINES + 1).join("\n")) ?? [];
  return header.split("\n").length - 1;
}

/**
 * A line that a tool puts around its output: a tag, an element of one line, or words in brackets without quotes (docs/evidence.md). Indented, it is
 * a part of a text.
 */
const FRAME =
  /^(?:<\/?[a-z][^<>]*>|<([a-z][\w-]*)[^<>]*>[^<>]*<\/\1>|(?=[^"'{]*[\p{L}\d] \p{L})(?:\[[^[\]]*\]|\([^()]*\)))\s*$/u;
const MOST_FRAME_LINES = 12;

/** Where the text behind such a header begins, and where it ends, without the frame at both its ends; a frame around nothing is none. */
export function shownLines(lines: readonly string[]): { readonly from: number; readonly end: number } {
  const header = headerLines(lines.slice(0, MOST_HEADER_LINES + 1).map((line) => line.trimEnd()));
  const isFrame = (line = "x") => line.length <= LONGEST_LINE_CHARS && (line.trim() === "" || FRAME.test(line));
  let [from, end] = [header, lines.length];
  while (from - header < MOST_FRAME_LINES && isFrame(lines[from])) from += 1;
  while (lines.length - end < MOST_FRAME_LINES && isFrame(lines[end - 1])) end -= 1;
  return from < end ? { from, end } : { from: header, end: lines.length };
}

/** A longer line is no neighbour, and no frame (docs/evidence.md). */
export const LONGEST_LINE_CHARS = 320;

/** A number before a line, with the mark behind it. No file has more digits' worth of lines; the bounds keep a line of only digits from being read as a number. */
const NUMBER = /^[ \t]{0,12}\d{1,7}([\t:|→])/;

/** Share of the lines that must begin with a number before a number without a mark is taken for one (docs/evidence.md). */
const NUMBERED_SHARE = 0.75;

/** The mark between a number and its line, if no arrow is there: one character, or with a space if each line has one. */
type Numbering = "mark" | "mark-and-space";

/** Finds the form of a text's numbers besides those with an arrow, header and frame aside; `null` if it has no other. A line that is only its number is read too. */
function numberingOf(all: readonly string[]): Numbering | null {
  const { from, end } = shownLines(all);
  const lines = all.slice(from, end);
  const numbered = lines.filter((line) => (NUMBER.exec(line)?.[1] ?? "→") !== "→");
  if (numbered.length < 2) return null;
  const filledCount = lines.reduce((count, line) => (line.trimEnd() === "" ? count : count + 1), 0);
  if (numbered.length < NUMBERED_SHARE * filledCount) return null;
  return numbered.every((line) => /^\s*\d+(?:\t|[:|](?: |\s*$))/.test(line)) ? "mark-and-space" : "mark";
}

/** The characters of a line's number and its mark; 0 if the line has none. */
function numberChars(line: string, numbering: Numbering | null): number {
  const [{ length } = "", mark] = NUMBER.exec(line) ?? [];
  if (numbering === null && mark !== "→") return 0;
  return numbering === "mark-and-space" && /[:|]/.test(mark ?? "") && line[length] === " " ? length + 1 : length;
}

/**
 * The texts of a message in which a reference can be read: its text parts and the values of its calls' arguments, each string or number on its own,
 * unescaped (arguments that are no JSON: unchanged). Reasoning is left out, for many wires do not send it again; so are tool names and images.
 */
export function messageTexts(message: Message): readonly string[] {
  return message.parts.flatMap(partTexts);
}

function partTexts(part: Part): readonly string[] {
  if (part.type === "text") return [part.text];
  return part.type === "tool-call" ? argumentTexts(part.argumentsJson) : [];
}

/** The values of a call's arguments, each string or number on its own. */
export function argumentTexts(argumentsJson: string): readonly string[] {
  const texts: string[] = [];
  const open: unknown[] = [parsedOrText(argumentsJson)];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "number") texts.push(String(value));
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value).reverse()) open.push(inner);
  }
  return texts;
}

/** A call's arguments as values. Arguments that are no JSON, such as a bare patch or a text that a model cut off, are read as text. */
export function parsedOrText(text: string): unknown {
  const value = jsonIn(text);
  return value === undefined ? text : value;
}
