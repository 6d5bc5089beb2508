import { standsAlone } from "./character-class.ts";
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

/** Lines that are remembered: far above what a session has, so that no run of replays grows without end. Chosen. */
const MOST_LINES = 2 ** 18;

/**
 * Finds references and statements in texts that were not recorded. What compactions write repeats most of its lines, from one to the next and
 * from policy to policy, and what stands in a line depends on the line alone: each distinct one is read once.
 */
export function createStatementScan(lookedFor: ScannedFor): (texts: readonly string[]) => Found {
  const { search, statementCount, readsWhole } = lookedFor;
  const probesOf = createProbes(lookedFor);
  const read = (text: string): Found => {
    const found: Found = { references: [], statements: [] };
    const { strings, starts, ends } = search.find(text);
    for (const [place, reference] of strings.entries()) {
      const start = starts[place] ?? 0;
      if (!standsAlone(text, start, ends[place] ?? 0)) continue;
      found.references.push(reference);
      for (const { number, window, offset, first, last } of probesOf(reference)) {
        const from = start - offset;
        // Both ends first: most statements of a reference differ there, and a comparison of texts costs far more.
        if (text.charCodeAt(from) !== first || text.charCodeAt(from + window.length - 1) !== last) continue;
        if (text.startsWith(window, from)) found.statements.push(number);
      }
    }
    return found.references.length === 0 ? NOTHING : found;
  };
  const byLine = new Map<string, Found>();
  let knownStatements = 0;
  const readLine = (line: string): Found => {
    const known = byLine.get(line);
    if (known !== undefined) return known;
    const found = read(line);
    if (byLine.size < MOST_LINES) byLine.set(line, found);
    return found;
  };
  return (texts) => {
    if (knownStatements !== statementCount()) byLine.clear();
    knownStatements = statementCount();
    const all: Found = { references: [], statements: [] };
    for (const text of texts) {
      for (const line of readsWhole ? [text] : text.split("\n")) {
        const { references, statements } = readsWhole ? read(line) : readLine(line);
        for (const reference of references) all.references.push(reference);
        for (const statement of statements) all.statements.push(statement);
      }
    }
    return all;
  };
}

const NOTHING: Found = { references: [], statements: [] };

/** A statement as it is looked for: with the code units at its ends. */
interface StatementProbe {
  readonly number: number;
  readonly window: string;
  readonly offset: number;
  readonly first: number;
  readonly last: number;
}

/** The statements of a reference as they are looked for, each made once. */
function createProbes({ statementsOf, statement }: ScannedFor): (reference: number) => readonly StatementProbe[] {
  const probesOf = new Map<number, StatementProbe[]>();
  return (reference) => {
    const known = probesOf.get(reference) ?? [];
    const numbers = statementsOf(reference);
    if (known.length === numbers.length) return known;
    probesOf.set(reference, known);
    for (const number of numbers.slice(known.length)) {
      const { window, offset } = statement(number);
      known.push({ number, window, offset, first: window.charCodeAt(0), last: window.charCodeAt(window.length - 1) });
    }
    return known;
  };
}
