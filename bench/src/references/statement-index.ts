import type { Message } from "@plimsoll/core";
import type { WorkCounter } from "@plimsoll/core/build";
import { beginsAlone, standsAlone } from "./character-class.ts";
import { messageTexts } from "./message-texts.ts";
import { createStatementScan, type Found } from "./statement-scan.ts";
import { createStringSearch } from "./string-search.ts";

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
  const statements: IndexedStatement[] = [];
  const referenceOf: number[] = [];
  const numbersOf: number[][] = references.map(() => []);
  const byWindow = new Map<string, number[]>();
  /** A reference over several lines ends what is said of a line. */
  const readsWhole = references.some((reference) => reference.includes("\n"));

  /** The window that was read last, and the statements that have it: a line states several references. */
  let latest: { readonly window: string | null; readonly numbers: number[] } = { window: null, numbers: [] };
  const holdingsOf = createHoldings(references.length);

  const withWindow = (window: string): number[] => {
    if (latest.window === window) return latest.numbers;
    const numbers = byWindow.get(window) ?? [];
    if (numbers.length === 0) byWindow.set(window, numbers);
    latest = { window, numbers };
    return numbers;
  };
  const intern = (reference: number, { window, offset }: Statement, ordinal: number): number => {
    const numbers = withWindow(window);
    for (const number of numbers) if (referenceOf[number] === reference) return number;
    const number = statements.length;
    numbers.push(number);
    numbersOf[reference]?.push(number);
    referenceOf.push(reference);
    statements.push({ window, offset, reference, firstOrdinal: ordinal });
    return number;
  };
  for (const { reference, firstOrdinal, ...statement } of found) intern(reference, statement, firstOrdinal);

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
        const statementAt = createStatementReader(text);
        const steps = search.find(text, (reference, start, end) => {
          if (!standsAlone(text, start, end)) return;
          found.references.push(reference);
          found.statements.push(intern(reference, statementAt(start, end), ordinal));
        });
        work.scanned(text.length + steps);
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

/** Reads the statements of one text, whose places come in order: each line is trimmed once. */
export function createStatementReader(text: string): (start: number, end: number) => Statement {
  let line = { from: 0, through: -1, window: "" };
  return (start, end) => {
    if (start < line.from || end > line.through) line = lineAround(text, start, end);
    if (line.through - line.from <= WHOLE_LINE_CHARS) return { window: line.window, offset: start - line.from };
    const marginChars = Math.max(0, Math.floor((WINDOW_CHARS - (end - start)) / 2));
    const from = Math.max(line.from, start - marginChars);
    return { window: text.slice(from, Math.min(line.through, end + marginChars)), offset: start - from };
  };
}

/** The line (or, for a string over several, lines) that holds `start … end`, without the white space around it. */
function lineAround(text: string, start: number, end: number): { from: number; through: number; window: string } {
  const lineStart = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  const newline = text.indexOf("\n", end);
  const line = text.slice(lineStart, newline < 0 ? text.length : newline);
  const window = line.trim();
  const from = lineStart + line.length - line.trimStart().length;
  return { from, through: from + window.length, window };
}
