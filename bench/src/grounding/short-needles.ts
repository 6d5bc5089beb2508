import { createStringSearch } from "../references/string-search.ts";

/** The needles of one or two lines. */
export interface ShortNeedles {
  /** Reports those that stand in a text of these lines; one may be reported more than once. */
  find(lines: readonly string[], found: (needle: number) => void): void;
}

/** What of short needles stands in a line: those of one line, the ends of first lines, the beginnings of second lines. */
interface LineHoldings {
  readonly whole: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
}

/** Lines that are remembered: far above what a session has, so that no run of replays grows without end. Chosen. */
const MOST_LINES = 2 ** 18;

/** The texts of short needles by their number; `null` for a needle that is not short. A line is searched once. */
export function createShortNeedles(texts: readonly (string | null)[]): ShortNeedles {
  const patterns = new Map<string, { readonly role: keyof LineHoldings; readonly needle: number }[]>();
  const look = (pattern: string, role: keyof LineHoldings, needle: number) => {
    const known = patterns.get(pattern);
    if (known === undefined) patterns.set(pattern, [{ role, needle }]);
    else known.push({ role, needle });
  };
  for (const [needle, text] of texts.entries()) {
    if (text === null || text === "") continue;
    const lineEnd = text.indexOf("\n");
    if (lineEnd < 0) look(text, "whole", needle);
    else {
      look(text.slice(0, lineEnd + 1), "first", needle);
      look(text.slice(lineEnd), "second", needle);
    }
  }
  const search = createStringSearch([...patterns.keys()]);
  const lookedFor = [...patterns.values()];
  const known = new Map<string, LineHoldings>();
  const read = (line: string): LineHoldings => {
    let held: { readonly [role in keyof LineHoldings]: number[] } | null = null;
    search.find(`\n${line}\n`, (pattern) => {
      held ??= { whole: [], first: [], second: [] };
      for (const { role, needle } of lookedFor[pattern] ?? []) held[role].push(needle);
    });
    return held ?? NOTHING;
  };
  const holdingsOf = (line: string): LineHoldings => {
    const before = known.get(line);
    if (before !== undefined) return before;
    const held = read(line);
    if (known.size < MOST_LINES) known.set(line, held);
    return held;
  };
  return {
    find(lines, found) {
      let begun: readonly number[] = [];
      for (const line of lines) {
        const { whole, first, second } = holdingsOf(line);
        for (const needle of whole) found(needle);
        if (begun.length > 0 && second.length > 0) for (const needle of second) if (begun.includes(needle)) found(needle);
        begun = first;
      }
    },
  };
}

const NOTHING: LineHoldings = { whole: [], first: [], second: [] };
