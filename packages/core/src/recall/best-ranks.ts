import type { UnitFacts } from "./units.ts";

/** How much units are worth. */
export interface UnitWorth {
  /** Returns the worth of a unit, 0 or more; the units worth most for their length come first. */
  readonly worth: (facts: UnitFacts) => number;
  /**
   * How many times more a unit can be worth after so many characters of the log in which nothing became of it and its file: 1 if it only loses. With
   * it texts that cannot come next are passed over; without it each unit is asked for what it is worth whenever units are chosen.
   */
  readonly growth?: ((chars: number) => number) | undefined;
}

/** The highest ranks that the units of each text can have, as lists of numbers by place: every cut asks for all, and a look at each text would be slow. */
export interface BestRanks {
  rankedBy: UnitWorth["worth"] | null;
  /** Infinite if nothing is known. */
  readonly ranks: number[];
  /** At which end of the log each was reckoned. */
  readonly atChars: number[];
  /** Characters that the shortest unit of each text takes. */
  readonly leastChars: number[];
  /** Texts of which something was known, by the file that they show. */
  readonly placesByFile: Map<string, Set<number>>;
}

/** The same rank reckoned at two times differs by less; chosen, a million times what rounding does. */
const ROUNDING_RATIO = 1 + 1e-9;

/** The ranks of no text. */
export function createBestRanks(): BestRanks {
  return { rankedBy: null, ranks: [], atChars: [], leastChars: [], placesByFile: new Map() };
}

/** One more text, of whose rank nothing is known. */
export function addText({ ranks, atChars, leastChars }: BestRanks, chars: number): void {
  leastChars.push(chars);
  ranks.push(Number.POSITIVE_INFINITY);
  atChars.push(0);
}

/** Something became of a unit of the text. */
export function forgetRank({ ranks }: BestRanks, place: number): void {
  ranks[place] = Number.POSITIVE_INFINITY;
}

/** A file was touched: forgets the texts that show it. */
export function forgetFile(best: BestRanks, path: string): void {
  for (const place of best.placesByFile.get(path) ?? []) forgetRank(best, place);
  best.placesByFile.delete(path);
}

/** The units of a text were ranked: the best of them, and at which end of the log. */
export function rememberRank(
  { ranks, atChars, placesByFile }: BestRanks,
  { place, path }: { readonly place: number; readonly path: string | null },
  { rank, nowAtChars }: { readonly rank: number; readonly nowAtChars: number },
): void {
  ranks[place] = rank;
  atChars[place] = nowAtChars;
  if (path === null) return;
  const places = placesByFile.get(path) ?? new Set();
  placesByFile.set(path, places.add(place));
}

/** For each text what none of its units ranks higher than at an end of the log. Another worth than the one before forgets all. */
export function mostRanks(best: BestRanks, { worth, growth }: UnitWorth, nowAtChars: number): Float64Array {
  const { ranks, atChars } = best;
  if (worth !== best.rankedBy || growth === undefined) ranks.fill(Number.POSITIVE_INFINITY);
  best.rankedBy = worth;
  const most = new Float64Array(ranks.length);
  for (const [place, rank] of ranks.entries()) {
    const sinceChars = nowAtChars - (atChars[place] ?? 0);
    const isKnown = growth !== undefined && sinceChars >= 0;
    most[place] = isKnown ? rank * growth(sinceChars) * ROUNDING_RATIO : Number.POSITIVE_INFINITY;
  }
  return most;
}
