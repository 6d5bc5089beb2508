/** Compares the output of commands with the part of it that the model got. */
export interface Printed {
  /** Takes in a request's body. */
  see(body: unknown): void;
  /** The calls whose output did not come back whole, by number. */
  lost(): readonly number[];
}

/** A call of PRINT_COMMAND, in JSON. */
const CALL = /yes 'line of call (\d+)' \| head -c (\d+)/g;

/** Looks at each call of PRINT_COMMAND in the first request that holds it: there its output is as the program's tool gave it. */
export function watchPrinted(): Printed {
  const seen = new Set<number>();
  const lost: number[] = [];
  return {
    see: (body) => {
      const json = JSON.stringify(body);
      for (const [, call, chars] of json.matchAll(CALL)) {
        const number = Number(call);
        if (seen.has(number)) continue;
        seen.add(number);
        if (linesIn(json, number) < wholeLines(number, Number(chars))) lost.push(number);
      }
    },
    lost: () => lost,
  };
}

const lineOf = (call: number) => `line of call ${call}`;

/** Lines that the command ends itself. */
function wholeLines(call: number, chars: number): number {
  return Math.floor(chars / (lineOf(call).length + 1));
}

/** Lines of its own, in JSON: what stands before them ends in a line's end, or is a label; the command has its line in quotes. */
function linesIn(json: string, call: number): number {
  return json.split(new RegExp(`(?<!')${lineOf(call)}(?!\\d)`)).length - 1;
}
