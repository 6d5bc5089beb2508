import { Writable } from "node:stream";
import type { CliIo } from "../io.ts";

/** A terminal for tests: collects what a command writes. */
export interface RecordedIo {
  readonly io: CliIo;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Streams that keep their text, in a folder. */
export function recordedIo(cwd: string): RecordedIo {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const errorStream = new Writable({
    write: (chunk, _encoding, done) => {
      stderr.push(String(chunk));
      done();
    },
  });
  return {
    io: { cwd, stdout: { write: (text) => stdout.push(text) }, stderr: errorStream },
    stdout: () => stdout.join(""),
    stderr: () => stderr.join(""),
  };
}
