import { homedir } from "node:os";

/** Where a command writes to. */
export interface Output {
  write(text: string): unknown;
  /** True where a person looks at it live. */
  readonly isTTY?: boolean | undefined;
  /** How wide a terminal is. */
  readonly columns?: number | undefined;
}

/** What a command has of the world around it. */
export interface CliIo {
  readonly stdout: Output;
  readonly stderr: NodeJS.WritableStream & Output;
  /** Where relative paths start. */
  readonly cwd: string;
  /** Below it agents keep their logs. */
  readonly homeFolder: string;
  /** The time, in milliseconds since 1970: for "the last seven days". */
  readonly nowMs: () => number;
}

/** The process's own streams, folders and clock. */
export function processIo(): CliIo {
  const { stdout, stderr } = process;
  return { stdout, stderr, cwd: process.cwd(), homeFolder: homedir(), nowMs: Date.now };
}
