import type { Message } from "../message/message.ts";
import type { LogText } from "./log-text.ts";
import type { TextLine } from "./text-lines.ts";
import { lineHash, textLines } from "./text-lines.ts";

/** A logged text with its place. */
export interface IndexedText extends LogText {
  readonly message: Message;
  /** Characters of all texts before it. */
  readonly atChars: number;
}

/** Some neighbouring lines of a logged text, and what became of them: what is recalled or not. */
export interface Unit {
  readonly of: IndexedText;
  /** Its lines, by their places in the text. */
  readonly lines: readonly TextLine[];
  /** Place among the units of its text. */
  readonly index: number;
  readonly chars: number;
  /** Lines that say enough to be told from others, and those of them that were stated again later. */
  readonly tellingLines: number;
  restatedLines: number;
  /** Texts of the model that quoted a line of it, or named a rare word that it had stated last. */
  quotes: number;
  mentions: number;
  /** When the model last did; `null` if it never did. */
  lastUseAtChars: number | null;
}

/** The lines of a text with a hash of each: 0 for a line that says too little. */
export interface HashedLines {
  readonly lines: readonly TextLine[];
  readonly hashes: readonly number[];
}

/** Reads a text once. */
export function hashedLines(text: string): HashedLines {
  const lines = textLines(text);
  return { lines, hashes: lines.map((line) => lineHash(text, line)) };
}

/** A unit that nobody used yet, with the hashes of its lines. */
export interface FreshUnit {
  readonly unit: Unit;
  readonly hashes: readonly number[];
}

/** A unit has at most so many lines and, if it has more than one, so many characters; chosen: half a screen of code. */
const UNIT_LINES = 16;
const UNIT_CHARS = 1600;

/** A text's lines in units, in order. */
export function unitsOf(of: IndexedText, { lines, hashes }: HashedLines): readonly FreshUnit[] {
  const units: FreshUnit[] = [];
  for (let from = 0; from < lines.length; ) {
    const { end, chars } = unitFrom(lines, from);
    const own = hashes.slice(from, end);
    const tellingLines = own.filter((hash) => hash !== 0).length;
    const unit = { of, lines: lines.slice(from, end), index: units.length, chars, tellingLines };
    units.push({ unit: { ...unit, restatedLines: 0, quotes: 0, mentions: 0, lastUseAtChars: null }, hashes: own });
    from = end;
  }
  return units;
}

function unitFrom(lines: readonly TextLine[], from: number): { readonly end: number; readonly chars: number } {
  let chars = 0;
  for (let end = from; end < lines.length; end++) {
    const line = lines[end];
    const lineChars = line === undefined ? 0 : line.end - line.start + 1;
    const isFull = end - from === UNIT_LINES || (end > from && chars + lineChars > UNIT_CHARS);
    if (isFull) return { end, chars };
    chars += lineChars;
  }
  return { end: lines.length, chars };
}
