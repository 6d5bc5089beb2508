import { Writable } from "node:stream";
import type { CliIo } from "@plimsoll/bench/terminal";
import { demoSessions, plimsollVersion } from "../src/io.ts";
import { main } from "../src/main.ts";

/** The time of tests: 2026-03-10, noon. */
export const NOW_MS: number = Date.UTC(2026, 2, 10, 12);

/** A terminal for tests: collects a command's output. */
interface RecordedIo {
  readonly io: CliIo;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Streams that keep their text, in a folder that is the home folder too. */
export function recordedIo(cwd: string, nowMs: () => number = () => NOW_MS): RecordedIo {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const errorStream = new Writable({
    write: (chunk, _encoding, done) => {
      stderr.push(String(chunk));
      done();
    },
  });
  return {
    io: {
      version: plimsollVersion(),
      demoSessions,
      cwd,
      stdout: { write: (text) => stdout.push(text) },
      stderr: errorStream,
      homeFolder: cwd,
      nowMs,
    },
    stdout: () => stdout.join(""),
    stderr: () => unbroken(stderr.join("")),
  };
}

/** The text with the program's own lines whole, which are broken where the next word would pass 80 columns. */
export function unbroken(text: string): string {
  const lines: string[] = [];
  let before = "";
  for (const line of text.split("\n")) {
    const [, word = ""] = /^ {2}(\S+)/.exec(line) ?? [];
    const isBroken = word !== "" && lines.at(-1)?.startsWith("plimsoll: ") === true && `${before} ${word}`.length > 80;
    lines.push(isBroken ? `${lines.pop()} ${line.trimStart()}` : line);
    before = line;
  }
  return lines.join("\n");
}

/** The end of a command, and its output. */
interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in a folder, which is the home folder too. */
export async function runIn(folder: string, args: readonly string[]): Promise<Ended> {
  const { io, stdout, stderr } = recordedIo(folder);
  return { exitCode: await main(args, io), stdout: stdout(), stderr: stderr() };
}
