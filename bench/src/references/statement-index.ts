import type { Message } from "@plimsoll/core";
import type { WorkCounter } from "@plimsoll/core/build";
import { beginsAlone, standsAlone } from "./character-class.ts";
import { messageTexts } from "./message-texts.ts";
import { createStatementScan, type Found } from "./statement-scan.ts";
import { createStringSearch, type FoundPlaces } from "./string-search.ts";

/** What can be read in one message: references by number in order of their first place, statements in that of their last, each once. */
export interface Holdings {
  readonly references: readonly number[];
  readonly statements: readonly number[];
}

/** A statement of the recorded history. */
export interface IndexedStatement extends Statement {
  readonly reference: number;
  /** Place in the recorded history of the first message that has it. */
  readonly firstOrdinal: number;
}

/** Which references and which statements of them stand where, over the recorded messages of one session. */
export interface StatementIndex {
  /** Adds a recorded message by its texts: their lines become statements. */
  add(texts: readonly string[], ordinal: number): Holdings;
  /** What of the statements added so far can be read in a message that is not a recorded one (a summary, a shortened result). */
  scan(message: Message): Holdings;
  statement(number: number): IndexedStatement | undefined;
  /** The reference of a statement. */
  referenceOf(number: number): number;
  /** The numbers of all statements of a reference, oldest first. */
  statementsOf(reference: number): Iterable<number>;
  /** Numbers are 0 up to this. */
  statementCount(): number;
}

/**
 * An index for the given references, which are known by their place in the list, with the statements that were found before.
 */
export function createStatementIndex(
  references: readonly string[],
  work: WorkCounter,
  found: Iterable<IndexedStatement> = [],
): StatementIndex {
  const search = createStringSearch(references, { mayBegin: beginsAlone });
  const numbersOf: number[][] = references.map(() => []);
  const table: StatementTable = { statements: [], referenceOf: [], numbersOf, byWindow: new Map() };
  const { statements, referenceOf } = table;
  /** A reference over several lines ends what is said of a line. */
  const readsWhole = references.some((reference) => reference.includes("\n"));

  const holdingsOf = createHoldings(references.length);
  for (const statement of found) numberOf(table, statement);

  const scan = createStatementScan({
    search,
    readsWhole,
    statementsOf: (reference) => numbersOf[reference] ?? [],
    statement: (number) => statements[number] ?? NO_STATEMENT,
    statementCount: () => statements.length,
  });

  return {
    add(texts, ordinal) {
      const found: Found = { references: [], statements: [] };
      for (const text of texts) {
        const places = search.find(text);
        addStatements(table, { text, places, ordinal }, found);
        work.scanned(text.length + places.steps);
      }
      return holdingsOf(found);
    },
    scan: (message) => holdingsOf(scan(messageTexts(message))),
    statement: (number) => statements[number],
    referenceOf: (number) => referenceOf[number] ?? -1,
    statementsOf: (reference) => numbersOf[reference] ?? [],
    statementCount: () => statements.length,
  };
}

const NO_STATEMENT: Statement = { window: "", offset: 0 };

/** The statements of a session, by number, and how they are found again. */
interface StatementTable {
  readonly statements: IndexedStatement[];
  readonly referenceOf: number[];
  readonly numbersOf: readonly number[][];
  readonly byWindow: Map<string, number[]>;
}

interface ReadText {
  readonly text: string;
  /** Where its references stand. */
  readonly places: FoundPlaces;
  readonly ordinal: number;
}

/** Adds what a text states, and notes what was found. A function of the module: what is compiled of one that is made for each session is lost with it. */
function addStatements(table: StatementTable, { text, places, ordinal }: ReadText, found: Found): void {
  const { strings, starts, ends } = places;
  let line = NO_LINE;
  for (let place = 0; place < strings.length; place++) {
    const reference = strings[place] ?? 0;
    const start = starts[place] ?? 0;
    const end = ends[place] ?? 0;
    if (!standsAlone(text, start, end)) continue;
    line = lineAround(text, { start, end }, line);
    const { window, offset } = statementIn(text, { start, end }, line);
    found.references.push(reference);
    found.statements.push(numberOf(table, { window, offset, reference, firstOrdinal: ordinal }));
  }
}

/** The statements that have a window. */
function withWindow({ byWindow }: StatementTable, window: string): number[] {
  const known = byWindow.get(window);
  if (known !== undefined) return known;
  const numbers: number[] = [];
  byWindow.set(window, numbers);
  return numbers;
}

/** The number of a statement; a new one if none is known that has its window and its reference. */
function numberOf(table: StatementTable, statement: IndexedStatement): number {
  const { statements, referenceOf, numbersOf } = table;
  const { reference } = statement;
  const ofWindow = withWindow(table, statement.window);
  for (const number of ofWindow) if (referenceOf[number] === reference) return number;
  const number = statements.length;
  ofWindow.push(number);
  numbersOf[reference]?.push(number);
  referenceOf.push(reference);
  statements.push(statement);
  return number;
}

/** Takes each once: references in order of their first place, statements in that of their last, so that the last one of a reference is its latest. */
function createHoldings(referenceCount: number): (found: Found) => Holdings {
  const takenIn = new Int32Array(referenceCount);
  const lastPlaces: number[] = [];
  let round = 0;
  return (found) => {
    if (found.references.length === 0) return NOTHING;
    round += 1;
    const references: number[] = [];
    for (const reference of found.references) {
      if (takenIn[reference] === round) continue;
      takenIn[reference] = round;
      references.push(reference);
    }
    let place = 0;
    for (const statement of found.statements) {
      while (lastPlaces.length <= statement) lastPlaces.push(0);
      lastPlaces[statement] = place++;
    }
    place = 0;
    const statements: number[] = [];
    for (const statement of found.statements) if (lastPlaces[statement] === place++) statements.push(statement);
    return { references, statements };
  };
}

const NOTHING: Holdings = { references: [], statements: [] };

/** Lines up to this length are taken whole; chosen, about four lines of a terminal. */
const WHOLE_LINE_CHARS = 320;

/** What is taken of a longer line around a reference: enough to tell what is said of it; chosen. */
const WINDOW_CHARS = 160;

/**
 * What must be readable for a line to count as readable: the line without the white space around it, or of a line of more than
 * 320 characters a window of 160 around the reference. `offset` is where the reference stands in it.
 */
export interface Statement {
  readonly window: string;
  readonly offset: number;
}

/** A place of a text; `end` is exclusive. */
export interface TextPlace {
  readonly start: number;
  readonly end: number;
}

/** A line of a text, without the white space around it. */
export interface TextLine {
  readonly from: number;
  readonly through: number;
  readonly window: string;
}

/** No line has been read yet. */
export const NO_LINE: TextLine = { from: 0, through: -1, window: "" };

/** What is stated at a place of a line. */
export function statementIn(text: string, { start, end }: TextPlace, line: TextLine): Statement {
  if (line.through - line.from <= WHOLE_LINE_CHARS) return { window: line.window, offset: start - line.from };
  const marginChars = Math.max(0, Math.floor((WINDOW_CHARS - (end - start)) / 2));
  const from = Math.max(line.from, start - marginChars);
  return { window: text.slice(from, Math.min(line.through, end + marginChars)), offset: start - from };
}

/** The line (or, for a string over several, lines) that holds a place; the one before if it still does. Places come in order, so that each line is trimmed once. */
export function lineAround(text: string, { start, end }: TextPlace, before: TextLine): TextLine {
  if (start >= before.from && end <= before.through) return before;
  const lineStart = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const newline = text.indexOf("\n", end);
  const line = text.slice(lineStart, newline < 0 ? text.length : newline);
  const window = line.trim();
  const from = lineStart + line.length - line.trimStart().length;
  return { from, through: from + window.length, window };
}
