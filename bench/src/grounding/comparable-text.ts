import type { Message } from "@plimsoll/core";
import { textOf } from "@plimsoll/core";
import { isDigit } from "../references/character-class.ts";
import { messageTexts } from "../references/message-texts.ts";

/** The texts of a message as places stand in them: one text part, one tool result, or one value in a call's arguments (docs/protocol.md). */
export function comparedTexts(message: Message): readonly string[] {
  return message.role === "tool-result" ? [textOf(message)] : messageTexts(message);
}

/**
 * A text as it is compared with others: lines end at `\n` alone, without white space, and the numbering that tools put before lines is gone.
 * Digits and an arrow are a number on any line; digits and a tab, a bar or a colon are one if most lines begin so (docs/protocol.md). Linear.
 */
export function comparableText(text: string): string {
  return comparableLines(text).join("\n");
}

/** The lines of {@link comparableText}. */
export function comparableLines(text: string): readonly string[] {
  const lines = text.split("\n");
  const numbering = numberingOf(lines);
  return lines.map((line) => line.slice(numberOf(line, numbering).length).trimEnd());
}

/** A text's line at a number that a tool put before it; `null` if the text has no such numbers there. */
export function numberedLines(text: string): ReadonlyMap<number, string> | null {
  const lines = text.split("\n");
  const numbering = numberingOf(lines);
  const found = new Map<number, string>();
  for (const line of lines) {
    const number = numberOf(line, numbering);
    if (number !== "") found.set(Number.parseInt(number, 10), line.slice(number.length).trimEnd());
  }
  return found.size === 0 ? null : found;
}

/** No file has more digits' worth of lines; the bound keeps a line of digits alone from being read as a number. */
const ARROW_NUMBER = /^[ \t]{0,12}\d{1,7}→/;
const LINE_NUMBER = /^[ \t]{0,12}\d{1,7}[\t:|]/;
const SPACED_NUMBER = /^[ \t]{0,12}\d{1,7}(?:\t|[:|] ?)/;

/** Share of the lines that must begin with a number before a number alone is taken for one (docs/protocol.md). */
const NUMBERED_SHARE = 0.75;

/** What numbers look like in a text besides those with an arrow; `null` if it has no other. A line that is only its number is read too. */
function numberingOf(lines: readonly string[]): RegExp | null {
  const numbered = lines.filter((line) => mayBeginWithNumber(line) && LINE_NUMBER.test(line));
  if (numbered.length < 2) return null;
  const filledCount = lines.reduce((count, line) => (line.trimEnd() === "" ? count : count + 1), 0);
  if (numbered.length < NUMBERED_SHARE * filledCount) return null;
  return numbered.every((line) => /^\s*\d+(?:\t|[:|](?: |\s*$))/.test(line)) ? SPACED_NUMBER : LINE_NUMBER;
}

function numberOf(line: string, numbering: RegExp | null): string {
  if (!mayBeginWithNumber(line)) return "";
  return (ARROW_NUMBER.exec(line) ?? numbering?.exec(line))?.[0] ?? "";
}

/** Whether a digit stands behind blanks, as few lines have it: an expression takes many times as long to say no. */
function mayBeginWithNumber(line: string): boolean {
  let at = 0;
  while (at < line.length && isBlank(line.charCodeAt(at))) at += 1;
  return isDigit(line.charCodeAt(at));
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}
