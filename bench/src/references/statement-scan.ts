import { standsAlone } from "./character-class.ts";
import { oncePerText } from "./once-per-text.ts";
import type { StringSearch } from "./string-search.ts";

/** References and statements by number, place by place. */
export interface Found {
  readonly references: number[];
  readonly statements: number[];
}

/** What texts are scanned for. */
export interface ScannedFor {
  /** Finds the references. */
  readonly search: StringSearch;
  /** By reference: the numbers of its statements. */
  readonly statementsOf: (reference: number) => readonly number[];
  /** What must be readable for a statement, and where the reference stands in it. */
  readonly statement: (number: number) => { readonly window: string; readonly offset: number };
  readonly statementCount: () => number;
  /** True if a reference goes over lines: then a text is no list of lines. */
  readonly readsWhole: boolean;
}

/** Above so many lines all are let go of: far above what a session has, so that no run of replays grows without end. Chosen. */
const MOST_LINES = 2 ** 18;

/**
 * Finds references and statements in texts that were not recorded. What compactions write repeats most of its lines, from one to the next and
 * from policy to policy, and what stands in a line depends on the line alone: each distinct one is read once, those of a text that are new together.
 */
export function createStatementScan(lookedFor: ScannedFor): (texts: readonly string[]) => Found {
  const { statementCount, readsWhole } = lookedFor;
  const scanned: Scanned = { search: lookedFor.search, probesOf: createProbes(lookedFor) };
  const byLine = new Map<string, Found>();
  let knownStatements = 0;
  const readLines = (lines: readonly string[]): readonly Found[] => {
    if (byLine.size > MOST_LINES) byLine.clear();
    const known = lines.map((line) => byLine.get(line));
    const fresh = [...new Set(lines.filter((_, at) => known[at] === undefined))];
    if (fresh.length > 0) for (const [at, found] of foundInLines(scanned, fresh).entries()) byLine.set(fresh[at] ?? "", found);
    return known.map((found, at) => found ?? byLine.get(lines[at] ?? "") ?? NOTHING);
  };
  const inText = oncePerText((text) => joined(readsWhole ? foundInLines(scanned, [text]) : readLines(text.split("\n"))));
  return (texts) => {
    if (knownStatements !== statementCount()) {
      byLine.clear();
      inText.forget();
    }
    knownStatements = statementCount();
    return joined(texts.map(inText.of));
  };
}

function joined(each: readonly Found[]): Found {
  const [only] = each;
  if (only !== undefined && each.length === 1) return only;
  const all: Found = { references: [], statements: [] };
  for (const found of each) {
    for (const reference of found.references) all.references.push(reference);
    for (const statement of found.statements) all.statements.push(statement);
  }
  return all;
}

/** What texts are searched with. */
interface Scanned {
  readonly search: StringSearch;
  readonly probesOf: (reference: number) => StatementProbes;
}

/**
 * What stands in each of some lines, which no reference goes over. One search for all of them: to begin one costs as much as to search a line. A function
 * of the module: what is compiled of one that is made for each session is lost with it.
 */
function foundInLines({ search, probesOf }: Scanned, lines: readonly string[]): readonly Found[] {
  const inLines: Found[] = lines.map(() => NOTHING);
  const text = lines.join("\n");
  const { strings, starts, ends } = search.find(text);
  let line = 0;
  let lineStart = 0;
  let lineEnd = lines[0]?.length ?? 0;
  for (let place = 0; place < strings.length; place++) {
    const reference = strings[place] ?? 0;
    const start = starts[place] ?? 0;
    if (!standsAlone(text, start, ends[place] ?? 0)) continue;
    while (start > lineEnd) {
      lineStart = lineEnd + 1;
      lineEnd = lineStart + (lines[++line]?.length ?? 0);
    }
    const found = inLines[line] === NOTHING ? { references: [], statements: [] } : (inLines[line] ?? NOTHING);
    inLines[line] = found;
    found.references.push(reference);
    addStatementsAt(probesOf(reference), { text, start, lineStart, lineEnd }, found.statements);
  }
  return inLines;
}

const NOTHING: Found = { references: [], statements: [] };

/**
 * The statements of a reference as they are looked for, those that begin nearest before it first: numbers in one list, since a look at each statement would wait
 * for memory.
 */
interface StatementProbes {
  readonly numbers: readonly number[];
  readonly windows: readonly string[];
  /** Three of each: how far before the reference its first code unit stands, how far behind its last, and these two units in the two halves of a number. */
  readonly ends: Int32Array;
}

const PROBE_NUMBERS = 3;

/** Where a reference stands, and the line around it. */
interface ReferencePlace {
  readonly text: string;
  readonly start: number;
  readonly lineStart: number;
  readonly lineEnd: number;
}

/**
 * Adds the statements that can be read around a place of their reference, oldest first. Whether they fit into the line first, then both ends: most differ there,
 * and a comparison of texts costs far more.
 */
function addStatementsAt(
  { numbers, windows, ends }: StatementProbes,
  { text, start, lineStart, lineEnd }: ReferencePlace,
  statements: number[],
): void {
  const before = start - lineStart;
  const behind = lineEnd - start;
  const first = statements.length;
  for (let probe = 0; probe < numbers.length; probe++) {
    const at = PROBE_NUMBERS * probe;
    const offset = ends[at] ?? 0;
    if (offset > before) break;
    const last = ends[at + 1] ?? 0;
    if (last >= behind) continue;
    const from = start - offset;
    const units = ends[at + 2] ?? 0;
    if (text.charCodeAt(start + last) !== units >>> UNIT_SHIFT || text.charCodeAt(from) !== (units & UNIT_BITS)) continue;
    // A slice that is compared takes a quarter of the time of `startsWith`.
    if (text.slice(from, start + last + 1) === windows[probe]) statements.push(numbers[probe] ?? 0);
  }
  if (statements.length > first + 1) sortFrom(statements, first);
}

/** Sorts the numbers behind a place: the few statements of one reference in one line. */
function sortFrom(numbers: number[], first: number): void {
  const sorted = numbers.slice(first).sort((a, b) => a - b);
  for (const [at, number] of sorted.entries()) numbers[first + at] = number;
}

const UNIT_SHIFT = 16;
const UNIT_BITS = 0xffff;

/** The statements of a reference as they are looked for; made anew if there are more of them: none are added once replays begin. */
function createProbes({ statementsOf, statement }: ScannedFor): (reference: number) => StatementProbes {
  const probesOf = new Map<number, StatementProbes>();
  return (reference) => {
    const numbers = statementsOf(reference);
    const known = probesOf.get(reference);
    if (known !== undefined && known.numbers.length === numbers.length) return known;
    const made = probesFor(numbers, statement);
    probesOf.set(reference, made);
    return made;
  };
}

function probesFor(numbers: readonly number[], statement: ScannedFor["statement"]): StatementProbes {
  const nearestFirst = numbers.toSorted((a, b) => statement(a).offset - statement(b).offset);
  const windows: string[] = [];
  const ends = new Int32Array(PROBE_NUMBERS * numbers.length);
  for (const [probe, number] of nearestFirst.entries()) {
    const { window, offset } = statement(number);
    const last = window.length - 1;
    windows.push(window);
    const at = PROBE_NUMBERS * probe;
    ends[at] = offset;
    ends[at + 1] = last - offset;
    ends[at + 2] = window.charCodeAt(0) | (window.charCodeAt(last) << UNIT_SHIFT);
  }
  return { numbers: nearestFirst, windows, ends };
}
