import { createStringSearch } from "../references/string-search.ts";

/** What of short needles stands in a line: those of one line, the ends of first lines, the beginnings of second lines. */
export interface LineHoldings {
  readonly whole: readonly number[];
  readonly first: readonly number[];
  readonly second: readonly number[];
}

/**
 * A reader of lines for the needles of one or two lines, from their texts by number; `null` for a needle that is not short. Reads a line
 * with its ends.
 */
export function createShortNeedles(texts: readonly (string | null)[]): (line: string) => LineHoldings {
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
  return (line) => {
    let held: { readonly [role in keyof LineHoldings]: number[] } | null = null;
    search.find(`\n${line}\n`, (pattern) => {
      held ??= { whole: [], first: [], second: [] };
      for (const { role, needle } of lookedFor[pattern] ?? []) held[role].push(needle);
    });
    return held ?? NO_SHORT_NEEDLES;
  };
}

/** What stands in most lines. */
export const NO_SHORT_NEEDLES: LineHoldings = { whole: [], first: [], second: [] };
