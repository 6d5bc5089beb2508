import type { Message, SessionEntry } from "@plimsoll/core";
import { createWorkCounter } from "@plimsoll/core/build";
import { madeOnce, type NumberLists, numberLists, numbersAt } from "./number-lists.ts";
import { type PreparedReferences, recordedMessages, scannedOnce, type TouchedFile } from "./prepare.ts";
import { hasSameTexts, type ReferenceUse } from "./recorded-history.ts";
import { createStatementIndex, type Holdings, type IndexedStatement, type StatementIndex } from "./statement-index.ts";
import { type TextList, textAt, textList } from "./text-list.ts";

/**
 * What a log states and uses, as plain data: columns of numbers, as objects in their thousands take longer to read than the log. The log is
 * not in it.
 */
export interface KeptReferences {
  readonly references: readonly string[];
  readonly touchedFiles: readonly TouchedFile[];
  readonly charactersScanned: number;
  /** The lines of the statements, each once. */
  readonly lines: TextList;
  /** Four numbers a statement: its line, its reference, where that stands in the line, and the first message that has it. */
  readonly statements: Int32Array;
  /** By recorded message: what it holds. */
  readonly heldReferences: NumberLists;
  readonly heldStatements: NumberLists;
  /** By recorded message: five numbers a use. */
  readonly uses: NumberLists;
}

const STATEMENT_NUMBERS = 4;
const USE_NUMBERS = 5;

/** References as plain data. */
export function keptReferences(prepared: PreparedReferences, entries: readonly SessionEntry[]): KeptReferences {
  const { references, touchedFiles, charactersScanned, index } = prepared;
  const messages = [...recordedMessages(entries)];
  const lineNumbers = new Map<string, number>();
  const statements: number[] = [];
  for (let number = 0; number < index.statementCount(); number++) {
    const { window, reference, offset, firstOrdinal } = index.statement(number) ?? NO_STATEMENT;
    const line = lineNumbers.get(window) ?? lineNumbers.size;
    lineNumbers.set(window, line);
    statements.push(line, reference, offset, firstOrdinal);
  }
  const holdings = messages.map(({ id }) => prepared.originalHoldings(id) ?? NOTHING);
  return {
    references,
    touchedFiles,
    charactersScanned,
    lines: textList([...lineNumbers.keys()]),
    statements: Int32Array.from(statements),
    heldReferences: numberLists(holdings.map((held) => held.references)),
    heldStatements: numberLists(holdings.map((held) => held.statements)),
    uses: numberLists(messages.map((message) => prepared.usesOf(message).flatMap(numbersOfUse))),
  };
}

const NO_STATEMENT: IndexedStatement = { window: "", reference: 0, offset: 0, firstOrdinal: 0 };
const NOTHING: Holdings = { references: [], statements: [] };

function numbersOfUse(use: ReferenceUse): readonly number[] {
  return [use.reference, use.distanceTokens, use.latestOrdinal, use.sourceStatement, use.isCompactedAway ? 1 : 0];
}

/** The references of a log, from what was kept of them. What is asked for is read then. */
export function openReferences(kept: KeptReferences, entries: readonly SessionEntry[]): PreparedReferences {
  const { references, touchedFiles, charactersScanned, heldReferences, heldStatements } = kept;
  let recorded: ReadonlyMap<string, RecordedPlace> | null = null;
  const placeOf = (messageId: string) => {
    recorded ??= placesById(entries);
    return recorded.get(messageId);
  };
  const holdingsAt = madeOnce((ordinal): Holdings => {
    return { references: [...numbersAt(heldReferences, ordinal)], statements: [...numbersAt(heldStatements, ordinal)] };
  });
  const usesAt = madeOnce((ordinal) => usesOfNumbers(numbersAt(kept.uses, ordinal)));
  const index = openIndex(kept);
  return {
    references,
    index,
    touchedFiles,
    charactersScanned,
    ordinalOf: ({ id }) => placeOf(id)?.ordinal ?? null,
    usesOf: ({ id }) => {
      const known = placeOf(id);
      return known === undefined ? [] : usesAt(known.ordinal);
    },
    recordedHoldings: (message) => {
      const known = placeOf(message.id);
      if (known === undefined) return null;
      return known.message === message || hasSameTexts(known.message, message) ? holdingsAt(known.ordinal) : null;
    },
    scannedHoldings: scannedOnce(() => index),
    originalHoldings: (messageId) => {
      const known = placeOf(messageId);
      return known === undefined ? null : holdingsAt(known.ordinal);
    },
  };
}

interface RecordedPlace {
  readonly message: Message;
  readonly ordinal: number;
}

function placesById(entries: readonly SessionEntry[]): ReadonlyMap<string, RecordedPlace> {
  const places = new Map<string, RecordedPlace>();
  let count = 0;
  for (const message of recordedMessages(entries)) places.set(message.id, { message, ordinal: count++ });
  return places;
}

function usesOfNumbers(numbers: Int32Array): readonly ReferenceUse[] {
  const uses: ReferenceUse[] = [];
  for (let at = 0; at < numbers.length; at += USE_NUMBERS) {
    uses.push({
      reference: numbers[at] ?? 0,
      distanceTokens: numbers[at + 1] ?? 0,
      latestOrdinal: numbers[at + 2] ?? 0,
      sourceStatement: numbers[at + 3] ?? 0,
      isCompactedAway: numbers[at + 4] === 1,
    });
  }
  return uses;
}

/** Statements are made when they are asked for; what is searched with is built when a message is scanned that was not recorded. */
function openIndex({ references, lines, statements }: KeptReferences): StatementIndex {
  const statementCount = statements.length / STATEMENT_NUMBERS;
  const made = madeOnce((number): IndexedStatement => {
    const at = number * STATEMENT_NUMBERS;
    return {
      window: textAt(lines, statements[at] ?? 0),
      reference: statements[at + 1] ?? 0,
      offset: statements[at + 2] ?? 0,
      firstOrdinal: statements[at + 3] ?? 0,
    };
  });
  const statement = (number: number) => (number >= 0 && number < statementCount ? made(number) : undefined);
  function* all(): Generator<IndexedStatement> {
    for (let number = 0; number < statementCount; number++) yield made(number);
  }
  let whole: StatementIndex | null = null;
  const index = (): StatementIndex => {
    whole ??= createStatementIndex(references, createWorkCounter(), all());
    return whole;
  };
  let byReference: readonly (readonly number[])[] | null = null;
  const statementsOf = (reference: number): Iterable<number> => {
    byReference ??= numbersByReference(statements, references.length);
    return byReference[reference] ?? [];
  };
  return {
    add: (texts, ordinal) => index().add(texts, ordinal),
    scan: (message) => index().scan(message),
    statement,
    referenceOf: (number) => statements[number * STATEMENT_NUMBERS + 1] ?? -1,
    statementsOf,
    statementCount: () => statementCount,
  };
}

function numbersByReference(statements: Int32Array, referenceCount: number): readonly (readonly number[])[] {
  const lists: number[][] = Array.from({ length: referenceCount }, () => []);
  for (let at = 1; at < statements.length; at += STATEMENT_NUMBERS)
    lists[statements[at] ?? 0]?.push((at - 1) / STATEMENT_NUMBERS);
  return lists;
}
