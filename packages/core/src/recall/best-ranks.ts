import type { UnitFacts } from "./units.ts";

/** How much units are worth. */
export interface UnitWorth {
  /** What a unit is worth, 0 or more; those worth most for their length come first. */
  readonly worth: (facts: UnitFacts) => number;
  /**
   * How many times more a unit can be worth after so many characters of the log in which nothing became of it and its file: 1 if it only loses. With
   * it texts that cannot come next are passed over; without it each unit is asked for what it is worth whenever units are chosen.
   */
  readonly growth?: ((chars: number) => number) | undefined;
}

/** What the units of each text of a log rank at most. Texts are told by their places. */
export interface BestRanks {
  /** One more text, of whose rank nothing is known: the characters that its shortest unit takes. */
  add(leastChars: number): void;
  leastChars(place: number): number;
  /** Something became of a unit of the text. */
  forget(place: number): void;
  /** A file was touched: forgets the texts that show it. */
  forgetFile(path: string): void;
  /** The units of a text were ranked: the best of them, and at which end of the log. */
  remember(text: { readonly place: number; readonly path: string | null }, rank: number, nowAtChars: number): void;
  /** For each text what none of its units ranks higher than at an end of the log. Another worth than the one before forgets all. */
  most(worth: UnitWorth, nowAtChars: number): Float64Array;
}

/** The same rank reckoned at two times differs by less; chosen, a million times what rounding does. */
const ROUNDING_RATIO = 1 + 1e-9;

/** The ranks of no text. They are held in lists of numbers: every cut asks for all of them, and a look at each text would take most of its time. */
export function createBestRanks(): BestRanks {
  let rankedBy: UnitWorth["worth"] | null = null;
  /** Infinite if nothing is known. */
  const ranks: number[] = [];
  const atChars: number[] = [];
  const leastChars: number[] = [];
  /** Texts of which something was known, by the file that they show. */
  const placesByFile = new Map<string, Set<number>>();
  const forget = (place: number) => {
    ranks[place] = Number.POSITIVE_INFINITY;
  };
  return {
    leastChars: (place) => leastChars[place] ?? 0,
    add: (chars) => {
      leastChars.push(chars);
      ranks.push(Number.POSITIVE_INFINITY);
      atChars.push(0);
    },
    forget,
    forgetFile: (path) => {
      for (const place of placesByFile.get(path) ?? []) forget(place);
      placesByFile.delete(path);
    },
    remember: ({ place, path }, rank, nowAtChars) => {
      ranks[place] = rank;
      atChars[place] = nowAtChars;
      if (path === null) return;
      const places = placesByFile.get(path) ?? new Set();
      placesByFile.set(path, places.add(place));
    },
    most: ({ worth, growth }, nowAtChars) => {
      if (worth !== rankedBy || growth === undefined) ranks.fill(Number.POSITIVE_INFINITY);
      rankedBy = worth;
      const most = new Float64Array(ranks.length);
      for (const [place, rank] of ranks.entries()) {
        const sinceChars = nowAtChars - (atChars[place] ?? 0);
        const isKnown = growth !== undefined && sinceChars >= 0;
        most[place] = isKnown ? rank * growth(sinceChars) * ROUNDING_RATIO : Number.POSITIVE_INFINITY;
      }
      return most;
    },
  };
}
