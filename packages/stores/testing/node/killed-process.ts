import { spawn } from "node:child_process";

/** The lines that a killed process wrote about its log before it was killed, in order. */
export interface LastWords {
  /** Entries that it began to write. */
  readonly begun: readonly string[];
  /** Entries that it said were written: the first of those. */
  readonly written: readonly string[];
}

/** Starts a program of node's and kills it (SIGKILL) once it has said so many lines. Rejects if it ends by itself. */
export function runUntilKilled(
  args: readonly string[],
  afterLines: number,
  node: string = process.execPath,
): Promise<LastWords> {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    let lines = 0;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      lines += text.split("\n").length - 1;
      if (lines >= afterLines) child.kill("SIGKILL");
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (signal === "SIGKILL") resolve({ begun: said(output, "< "), written: said(output, "> ") });
      else reject(new Error(`the process ended by itself with ${code}`));
    });
  });
}

/** Returns the text after a mark, of whole lines only: a kill can cut the last one. */
function said(output: string, mark: string): readonly string[] {
  const lines = output.split("\n").slice(0, -1);
  return lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
}

/** Numbers in [0, 1): the same seed gives the same ones (mulberry32, public domain). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
