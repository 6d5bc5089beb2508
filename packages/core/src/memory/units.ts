import { stringsIn } from "../json.ts";
import type { FileFacts, LogTextKind } from "../keep/keep-rule.ts";
import { partHandle } from "../message/handle.ts";
import { isHuman, type Message, type ToolCallPart, type ToolResultMessage, textOf } from "../message/message.ts";
import type { PathAccess } from "../tool.ts";
import { diagnosisCount } from "../truncation/diagnoses.ts";
import { planAfter } from "./facts.ts";
import { forEachRareWord, rareRuns } from "./rare-words.ts";
import { lineHash, shownLines, type TextLine, textHash, textLines } from "./text-lines.ts";

/** A logged text with its place. */
export interface IndexedText extends LogText {
  readonly message: Message;
  /** Characters of all texts before it. */
  readonly atChars: number;
  /** How many texts with something to recall are before it. */
  readonly place: number;
}

/** Neighbouring lines of a logged text that are recalled together or not at all, and how often the model used them later. */
export interface Unit extends Omit<UnitReading, "lineHashes"> {
  readonly of: IndexedText;
  /** Place among the units of its text. */
  readonly index: number;
  /** Telling lines that were stated again later. */
  restatedLines: number;
  /** Texts of the model that quoted a line of it, or named a rare word that it had stated last. */
  quotes: number;
  mentions: number;
  /** Where the model last did, in characters of logged texts before it; `null` if it never did. */
  lastUseAtChars: number | null;
}

/** A reading of a text by itself, the same at any place of a log. */
export interface TextReading {
  /** A hash of each line's content: 0 for one that says too little. */
  readonly lineHashes: readonly number[];
  /** Lines that say enough to be recognised; of a unit, the different ones. */
  readonly tellingLines: number;
  /** Of its rare words, of a unit each once; none of a text that is not the model's. */
  readonly wordHashes: readonly number[];
  readonly units: readonly UnitReading[];
}

/** Some neighbouring lines of a text as they are read, by their places in it. */
export interface UnitReading extends Omit<TextReading, "units"> {
  readonly lines: readonly TextLine[];
  readonly chars: number;
}

/** Reads a text once. */
export function readText({ text, kind }: Pick<LogText, "text" | "kind">): TextReading {
  const lines = kind === "output" ? shownLines(text) : textLines(text);
  const lineHashes = lines.map((line) => lineHash(text, line));
  const units = readUnits(text, lines, lineHashes);
  const wordHashes = isByModel(kind) ? wordHashesIn(text, { start: 0, end: text.length }) : [];
  return { lineHashes, tellingLines: tellingCount(lineHashes), wordHashes, units };
}

/** True for the model's own words: they use earlier statements. */
export function isByModel(kind: LogText["kind"]): boolean {
  return kind === "said" || kind === "written";
}

function tellingCount(lineHashes: Iterable<number>): number {
  let count = 0;
  for (const hash of lineHashes) if (hash !== 0) count += 1;
  return count;
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

/** A unit of a logged text that has not been used yet. */
export function freshUnit(of: IndexedText, { lines, chars, tellingLines, wordHashes }: UnitReading, index: number): Unit {
  return { of, lines, index, chars, tellingLines, wordHashes, restatedLines: 0, quotes: 0, mentions: 0, lastUseAtChars: null };
}

function readUnits(text: string, lines: readonly TextLine[], lineHashes: readonly number[]): readonly UnitReading[] {
  const units: UnitReading[] = [];
  for (let from = 0; from < lines.length; ) {
    const { end, chars } = unitFrom(lines, from);
    const own = lineHashes.slice(from, end);
    const wordHashes = [
      ...new Set(wordHashesIn(text, { start: lines[from]?.start ?? 0, end: lines[end - 1]?.end ?? text.length })),
    ];
    const tellingLines = tellingCount(new Set(own));
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

/** Characters of a passage's head in addition to its names: words, numbers and the end of a handle; of those, the part that neighbours share. */
const HEAD_CHARS = 60;

/** A call is shown by so many characters at most where no file is known; chosen. */
const CALL_CHARS = 120;

/** Counts the characters of a passage's head in addition to its lines. */
export function headCharsOf({ source, path, call }: LogText): number {
  return HEAD_CHARS + source.length + (path?.length ?? Math.min(CALL_CHARS, call?.argumentsJson.length ?? 0));
}

/** How often and when each file of a log was read and written. */
export interface FileTouches {
  add(access: PathAccess, atChars: number): void;
  /** Returns the knowledge, at one place of the log, about the file of a text at another; `null` for a file that no call touched. */
  facts(path: string, places: { readonly textAtChars: number; readonly nowAtChars: number }): FileFacts | null;
  /** Counts the writings of a file, of all files without one, behind a place of the log. */
  writesSince(path: string | null, textAtChars: number): number;
}

/** No file touched yet. */
export function createFileTouches(): FileTouches {
  const files = new Map<string, { reads: number; writes: number; lastTouchAtChars: number; lastWriteAtChars: number | null }>();
  const writings: { readonly path: string; readonly atChars: number }[] = [];
  return {
    add: ({ path, access }, atChars) => {
      const file = files.get(path) ?? { reads: 0, writes: 0, lastTouchAtChars: 0, lastWriteAtChars: null };
      files.set(path, file);
      file[access === "read" ? "reads" : "writes"] += 1;
      file.lastTouchAtChars = atChars;
      if (access === "modify") file.lastWriteAtChars = atChars;
      if (access === "modify") writings.push({ path, atChars });
    },
    facts: (path, { textAtChars, nowAtChars }) => {
      const file = files.get(path);
      if (file === undefined) return null;
      const { reads, writes, lastTouchAtChars, lastWriteAtChars } = file;
      return {
        reads,
        writes,
        sinceTouchChars: nowAtChars - lastTouchAtChars,
        sinceWriteChars: lastWriteAtChars === null ? null : nowAtChars - lastWriteAtChars,
        isWrittenSince: lastWriteAtChars !== null && lastWriteAtChars > textAtChars,
      };
    },
    writesSince: (path, textAtChars) =>
      writings.filter((each) => each.atChars > textAtChars && (path === null || each.path === path)).length,
  };
}

/** One text of a logged message. */
export interface LogText {
  readonly kind: LogTextKind;
  readonly text: string;
  /** A tool's name, or the speaker. */
  readonly source: string;
  /** The file that it shows or changes; `null` if that is none, or not known to be one. */
  readonly path: string | null;
  /** The call that it is of, if that names no file by itself; `null` without one. */
  readonly call: ToolCallPart | null;
  readonly handle: string;
}

/** The texts of a message by itself: of a result, those that no call has. Texts of compactions, and the agent's insertions, are none. */
export function logTexts(message: Message): readonly LogText[] {
  const texts: LogText[] = [];
  switch (message.role) {
    case "tool-result":
      addParts(texts, message, message.isError ? "failed" : "output", message.toolName);
      break;
    case "user":
      if (isHuman(message)) addParts(texts, message, "person", "person");
      break;
    case "assistant":
      if (message.origin !== "model") break;
      addParts(texts, message, "said", "assistant");
      addCalls(texts, message);
      break;
    default:
      message satisfies never;
  }
  return texts;
}

/** Characters of {@link logTexts} together. */
export function logTextChars(message: Message): number {
  if (message.role === "user" && !isHuman(message)) return 0;
  if (message.role === "assistant" && message.origin !== "model") return 0;
  let chars = 0;
  for (const part of message.parts) {
    if (part.type === "text") chars += part.text.length;
    if (part.type === "tool-call") for (const text of writtenInCall(part)) chars += text.length;
  }
  return chars;
}

/** A call's facts about its result's texts; `null` for each that it does not have. */
export interface ToldByCall {
  readonly kind: "read" | null;
  readonly path: string | null;
  readonly call: ToolCallPart | null;
  /** Whether the result says nothing beyond the call: of it nothing is brought back. */
  readonly isEchoed: boolean;
}

const NOTHING_TOLD: ToldByCall = { kind: null, path: null, call: null, isEchoed: false };

/** Reads from the call of a result which file its texts show. `openCalls` are those that a result may answer. */
export function toldByCall(message: Message, openCalls: readonly ToolCallPart[]): ToldByCall {
  const call = openCalls.find(({ callId }) => message.role === "tool-result" && callId === message.callId);
  if (message.role !== "tool-result" || call === undefined) return NOTHING_TOLD;
  const path = onlyPath(call);
  const isRead = path !== null && call.paths[0]?.access === "read" && !message.isError;
  return { kind: isRead ? "read" : null, path, call: path === null ? call : null, isEchoed: isEcho(call, message) };
}

/** A result with more characters beyond its call says something, and so does one whose call has more strings; chosen. */
const ECHO = { chars: 400, strings: 500 } as const;

/** True for a result that says nothing beyond its call, which wrote files or a list of tasks: it names nothing that the call does not name. That the call failed the record of errors says. */
function isEcho({ argumentsJson, paths }: ToolCallPart, result: ToolResultMessage): boolean {
  const writes = paths.length > 0 && paths.every(({ access }) => access === "modify");
  if (!writes && planAfter([], argumentsJson) === null) return false;
  const strings = stringsIn(argumentsJson);
  const own = strings.join("\n");
  const text = stringsIn(textOf(result)).join("\n");
  // Shorter strings occur in a text by chance.
  const quoted = strings.filter(({ length }) => length > 3);
  if (quoted.length > ECHO.strings) return false;
  const rest = quoted.reduce((left, string) => left.replaceAll(string, " "), text.replace(/<\/?\w+>/g, " "));
  let saysMore = rest.length > ECHO.chars || (!result.isError && diagnosisCount(rest) > 0);
  forEachRareWord(rest, (word) => {
    saysMore ||= /\p{L}/u.test(word) && !own.includes(word);
  });
  return !saysMore;
}

/** The text parts of a message. Records are written out: one that is made by a spread takes ten times as long. */
function addParts(texts: LogText[], { id, parts }: Message, kind: LogTextKind, source: string): void {
  for (const [index, part] of parts.entries())
    if (part.type === "text" && part.text !== "")
      texts.push({ kind, text: part.text, source, path: null, call: null, handle: partHandle(id, index) });
}

function addCalls(texts: LogText[], { id, parts }: Message): void {
  for (const [index, part] of parts.entries()) {
    if (part.type !== "tool-call") continue;
    const path = onlyPath(part);
    const kind = path !== null && part.paths[0]?.access === "modify" ? "written" : "said";
    const handle = partHandle(id, index);
    for (const text of writtenInCall(part)) texts.push({ kind, text, source: part.toolName, path, call: null, handle });
  }
}

function writtenInCall({ argumentsJson, paths }: ToolCallPart): readonly string[] {
  const strings = stringsIn(argumentsJson);
  return paths.length === 0 ? strings : strings.filter((text) => !paths.some(({ path }) => path === text));
}

function onlyPath({ paths }: ToolCallPart): string | null {
  return paths.length === 1 ? (paths[0]?.path ?? null) : null;
}
