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
    stderr: () => stderr.join(""),
  };
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
