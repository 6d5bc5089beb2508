/** Lines as pairs of UTF-16 units, so that a search for strings becomes one for runs of whole lines. */
export interface LineCode {
  /** The number of a known line; 0 for any other. */
  numberOf(line: string): number;
  /** Two units a line, by its number. */
  encode(numbers: readonly number[]): string;
  /** The line at a place of an encoded text. */
  lineAt(unit: number): number;
}

/** Half of the units begin a pair and the other half end one: no pair is ever found across two lines. */
const HALF = 0x8000;

/** Pieces of this many lines are joined at a time: a call takes so many arguments in every engine. */
const PIECE_LINES = 4096;

/** A code for the lines that are looked for; room for a thousand million of them. */
export function createLineCode(known: readonly string[]): LineCode {
  const numbers = new Map<string, number>();
  for (const line of known) if (!numbers.has(line)) numbers.set(line, numbers.size + 1);
  return {
    numberOf: (line) => numbers.get(line) ?? 0,
    encode(lines) {
      let encoded = "";
      for (let from = 0; from < lines.length; from += PIECE_LINES) {
        const units: number[] = [];
        for (const number of lines.slice(from, from + PIECE_LINES))
          units.push(Math.floor(number / HALF), HALF + (number % HALF));
        encoded += String.fromCharCode(...units);
      }
      return encoded;
    },
    lineAt: (unit) => unit / 2,
  };
}
