import type { Message } from "@plimsoll/core";
import type { PreparedReferences } from "../references/prepare.ts";
import { comparableLines, comparedTexts } from "./comparable-text.ts";

/** The passages of a history as far as it has been followed: what a person or a tool stated last, with the lines around it. */
export interface Passages {
  /** The passages of a reply's references, comparable: one for each reference that a person or a tool stated. */
  usedBy(reply: Message): readonly string[];
  /** Adds a recorded message. */
  follow(message: Message): void;
}

/** Passages of a history without messages. Each source message is read once, when something that it states is used. */
export function createPassages(references: PreparedReferences): Passages {
  const known: KnownPassages = {
    newest: Array.from({ length: references.index.statementCount() }, () => null),
    found: new Map(),
    texts: new WeakMap(),
    lines: new Map(),
  };
  return {
    usedBy(reply) {
      const passages: string[] = [];
      for (const { sourceStatement } of references.usesOf(reply)) {
        const message = known.newest[sourceStatement] ?? null;
        if (message === null) continue;
        const window = references.index.statement(sourceStatement)?.window ?? "";
        const passage = passageOf(known, { statement: sourceStatement, window, message });
        if (passage !== null) passages.push(passage);
      }
      return passages;
    },
    follow(message) {
      const isSource = message.role === "tool-result" || (message.role === "user" && SOURCES.has(message.origin));
      if (!isSource) return;
      for (const statement of references.recordedHoldings(message)?.statements ?? []) known.newest[statement] = message;
    },
  };
}

/** The passages that were read so far. What works on it are functions of the module: what is compiled of one that is made for each session is lost with it. */
interface KnownPassages {
  /** By statement. */
  readonly newest: (Message | null)[];
  /** By statement: its passage in the message that it was looked for in last. */
  readonly found: Map<number, { readonly message: Message; readonly passage: string | null }>;
  /** The last one first. */
  readonly texts: WeakMap<Message, readonly StatingText[]>;
  /** By text, comparable. */
  readonly lines: Map<string, readonly string[]>;
}

interface SourceStatement {
  readonly statement: number;
  readonly window: string;
  readonly message: Message;
}

function passageOf(known: KnownPassages, { statement, window, message }: SourceStatement): string | null {
  const before = known.found.get(statement);
  if (before?.message === message) return before.passage;
  const stated = statedLine(known, message, window);
  const passage = stated === null ? null : passageAround(stated, window);
  known.found.set(statement, { message, passage });
  return passage;
}

/** Who states something: the person, and what the person ran. What an agent adds to a message is no source. */
const SOURCES: ReadonlySet<string> = new Set(["human", "command"]);

/** A longer line is no neighbour (docs/evidence.md). */
const LONGEST_LINE_CHARS = 320;

/** Lines on each side of the line that stated something (docs/evidence.md). */
const PASSAGE_LINES = 3;

/** A line of a text that states something: as it stands, without white space around it, and among the lines as they are compared. */
interface StatedLine {
  readonly raw: string;
  readonly lines: readonly string[];
  readonly place: number;
}

/** A text that states something: where each line stands last, without white space around it, and the lines that are too long. */
interface StatingText {
  readonly text: string;
  readonly places: ReadonlyMap<string, number>;
  readonly long: readonly { readonly raw: string; readonly place: number }[];
}

/** The last line of a message that a statement was read from. Reads each message once; only lines that are too long are searched. */
function statedLine(known: KnownPassages, message: Message, window: string): StatedLine | null {
  const texts = known.texts.get(message) ?? comparedTexts(message).map(statingText).reverse();
  known.texts.set(message, texts);
  const found = lineThatStates(texts, window);
  if (found === null) return null;
  const lines = known.lines.get(found.text) ?? comparableLines(found.text);
  known.lines.set(found.text, lines);
  return { raw: found.raw, lines, place: found.place };
}

/** Where the texts, the last one first, have the line that a statement was read from. */
function lineThatStates(
  texts: readonly StatingText[],
  window: string,
): { readonly text: string; readonly raw: string; readonly place: number } | null {
  for (const { text, places } of texts) {
    const place = places.get(window);
    if (place !== undefined) return { text, raw: window, place };
  }
  for (const { text, long } of texts) {
    const line = long.findLast(({ raw }) => raw.includes(window));
    if (line !== undefined) return { text, ...line };
  }
  return null;
}

function statingText(text: string): StatingText {
  const places = new Map<string, number>();
  const long: { raw: string; place: number }[] = [];
  let place = 0;
  for (const line of text.split("\n")) {
    const raw = line.trim();
    if (raw.length > LONGEST_LINE_CHARS) long.push({ raw, place });
    else places.set(raw, place);
    place += 1;
  }
  return { text, places, long };
}

/** A line with its neighbours, up to a line that is too long to be one; of a line that is itself too long, what states alone. */
function passageAround({ raw, lines, place }: StatedLine, window: string): string {
  const isShort = (at: number) => (lines[at]?.length ?? Number.POSITIVE_INFINITY) <= LONGEST_LINE_CHARS;
  if (!isShort(place)) {
    const numberChars = raw.length - (lines[place] ?? "").trim().length;
    const start = raw.lastIndexOf(window);
    return raw.slice(Math.max(start, numberChars), start + window.length).trim();
  }
  let from = place;
  while (from > place - PASSAGE_LINES && isShort(from - 1)) from -= 1;
  let through = place;
  while (through < place + PASSAGE_LINES && isShort(through + 1)) through += 1;
  return lines
    .slice(from, through + 1)
    .join("\n")
    .trim();
}
