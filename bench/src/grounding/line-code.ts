/** Half of the units begin a pair and the other half end one: no pair is ever found across two lines. */
const HALF = 0x8000;

/** Pieces of this many lines are joined at a time: a call takes so many arguments in every engine. */
const PIECE_LINES = 4096;

/** Numbers for the lines that are looked for, from 1; room for a thousand million of them. */
export function lineNumbers(known: Iterable<string>): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const line of known) if (!numbers.has(line)) numbers.set(line, numbers.size + 1);
  return numbers;
}

/**
 * Lines as pairs of UTF-16 units, by their numbers (0 is any other line), so that a search for strings becomes one for runs of whole lines:
 * two units a line.
 */
export function encodeLines(numbers: readonly number[]): string {
  let encoded = "";
  for (let from = 0; from < numbers.length; from += PIECE_LINES) {
    const units: number[] = [];
    for (const number of numbers.slice(from, from + PIECE_LINES)) units.push(Math.floor(number / HALF), HALF + (number % HALF));
    encoded += String.fromCharCode(...units);
  }
  return encoded;
}

/** The line at a place of an encoded text. */
export function lineAt(unit: number): number {
  return unit / 2;
}
