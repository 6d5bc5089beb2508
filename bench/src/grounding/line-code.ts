/** Lines as pairs of UTF-16 units, so that a search for strings becomes one for runs of whole lines. */
export interface LineCode {
  /** Two units a line; a line that is not among the known ones is the same pair each time. */
  encode(lines: readonly string[]): string;
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
  const units = (line: string): readonly number[] => {
    const number = numbers.get(line) ?? 0;
    return [Math.floor(number / HALF), HALF + (number % HALF)];
  };
  return {
    encode(lines) {
      const pieces: string[] = [];
      for (let from = 0; from < lines.length; from += PIECE_LINES) {
        pieces.push(String.fromCharCode(...lines.slice(from, from + PIECE_LINES).flatMap(units)));
      }
      return pieces.join("");
    },
    lineAt: (unit) => unit / 2,
  };
}
