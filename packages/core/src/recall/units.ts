import { rareRuns } from "../keep/rare-words.ts";
import type { Message } from "../message/message.ts";
import type { FileFacts } from "./file-touches.ts";
import type { LogText, LogTextKind } from "./log-text.ts";
import { lineHash, shownLines, type TextLine, textHash, textLines } from "./text-lines.ts";

/** The facts about a unit at one point of the log. Distances are in characters of logged texts. */
export interface UnitFacts {
  readonly kind: LogTextKind;
  readonly chars: number;
  readonly ageChars: number;
  /** Share of its lines that were stated again later. */
  readonly restatedRatio: number;
  /** Texts of the model that quoted a line of it, or named a rare word that it had stated last. */
  readonly quotes: number;
  readonly mentions: number;
  /** Characters logged since the model last did; `null` if it never did. */
  readonly sinceUseChars: number | null;
  /** The file that it shows; `null` if that is not known. */
  readonly file: FileFacts | null;
}

/** A logged text with its place. */
export interface IndexedText extends LogText {
  readonly message: Message;
  /** Characters of all texts before it. */
  readonly atChars: number;
  /** How many texts of which something may be recalled are before it. */
  readonly place: number;
}

/** Neighbouring lines of a logged text that are recalled together or not at all, and how often the model used them later. */
export interface Unit {
  readonly of: IndexedText;
  /** Its lines, by their places in the text. */
  readonly lines: readonly TextLine[];
  /** Place among the units of its text. */
  readonly index: number;
  readonly chars: number;
  /** Different lines that say enough to be told from others, and those of them that were stated again later. */
  readonly tellingLines: number;
  restatedLines: number;
  /** Texts of the model that quoted a line of it, or named a rare word that it had stated last. */
  quotes: number;
  mentions: number;
  /** Where the model last did, in characters of logged texts before it; `null` if it never did. */
  lastUseAtChars: number | null;
}

/** A text as it is read: what it says by itself, wherever in a log it stands. */
export interface TextReading {
  /** A hash of what each line says: 0 for one that says too little. */
  readonly lineHashes: readonly number[];
  readonly tellingLines: number;
  /** Of its rare words; none of a text that is not the model's. */
  readonly wordHashes: readonly number[];
  readonly units: readonly UnitReading[];
}

/** Some neighbouring lines of a text as they are read: of each line a hash, of its rare words too. */
export interface UnitReading {
  readonly lines: readonly TextLine[];
  readonly chars: number;
  readonly tellingLines: number;
  readonly lineHashes: readonly number[];
  readonly wordHashes: readonly number[];
}

/** Reads a text once. */
export function readText({ text, kind }: Pick<LogText, "text" | "kind">): TextReading {
  const lines = kind === "output" ? shownLines(text) : textLines(text);
  const lineHashes = lines.map((line) => lineHash(text, line));
  const units = readUnits(text, lines, lineHashes);
  const wordHashes = isByModel(kind) ? wordHashesIn(text, { start: 0, end: text.length }) : [];
  return { lineHashes, tellingLines: tellingCount(lineHashes), wordHashes, units };
}

/** True for what the model said or wrote: it uses what was stated before. */
export function isByModel(kind: LogText["kind"]): boolean {
  return kind === "said" || kind === "written";
}

function tellingCount(lineHashes: readonly number[]): number {
  return lineHashes.filter((hash) => hash !== 0).length;
}

function wordHashesIn(text: string, place: Pick<TextLine, "start" | "end">): readonly number[] {
  const found: number[] = [];
  const places = rareRuns(text, place);
  for (let at = 0; at < places.length; at += 2) found.push(textHash(text, places[at] ?? 0, places[at + 1] ?? 0));
  return found;
}

/** A unit has at most so many lines and, if it has more than one, so many characters; chosen: half a screen of code. */
const UNIT_LINES = 16;
const UNIT_CHARS = 1600;

/** A unit of a logged text that nobody used yet. */
export function freshUnit(of: IndexedText, { lines, chars, tellingLines }: UnitReading, index: number): Unit {
  return { of, lines, index, chars, tellingLines, restatedLines: 0, quotes: 0, mentions: 0, lastUseAtChars: null };
}

/** A text's lines in units, in order. */
function readUnits(text: string, lines: readonly TextLine[], lineHashes: readonly number[]): readonly UnitReading[] {
  const units: UnitReading[] = [];
  for (let from = 0; from < lines.length; ) {
    const { end, chars } = unitFrom(lines, from);
    const own = lineHashes.slice(from, end);
    const wordHashes = wordHashesIn(text, { start: lines[from]?.start ?? 0, end: lines[end - 1]?.end ?? text.length });
    const tellingLines = tellingCount([...new Set(own)]);
    units.push({ lines: lines.slice(from, end), chars, tellingLines, lineHashes: own, wordHashes });
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

/** Characters of a passage's head in addition to what it names: words, numbers and the end of a handle; of those, what neighbours share. */
const HEAD_CHARS = 60;

/** A call is shown by so many characters at most where no file is known; chosen. */
const CALL_CHARS = 120;

/** Counts the characters of a passage's head in addition to its lines. */
export function headCharsOf({ source, path, call }: LogText): number {
  return HEAD_CHARS + source.length + (path?.length ?? Math.min(CALL_CHARS, call?.argumentsJson.length ?? 0));
}
