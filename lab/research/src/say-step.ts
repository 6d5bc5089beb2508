import process from "node:process";

/** Says a step on a line of its own, with the seconds so far, e.g. `12 s written 500 of 5000 MB`: standard output stays free for what is made. */
export function sayStep(text: string): void {
  process.stderr.write(`${Math.round(process.uptime())} s ${text}\n`);
}
