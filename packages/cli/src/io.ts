import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isRecord } from "@plimsoll/core/extend";

/** A stream that a command writes text to. */
export interface Output {
  write(text: string): unknown;
  /** True for a terminal, where a person reads it live. */
  readonly isTTY?: boolean | undefined;
  /** The terminal's width, in characters. */
  readonly columns?: number | undefined;
}

/** Streams, folders, environment and clock that a command uses; {@link processIo} gives the process's own. */
export interface CliIo {
  readonly stdout: Output;
  readonly stderr: NodeJS.WritableStream & Output;
  /** Where relative paths start. */
  readonly cwd: string;
  /** The user's home folder, below which agents keep their logs. */
  readonly homeFolder: string;
  /** Variables of the environment; none if they are left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The time, in milliseconds since 1970: for "the last seven days". */
  readonly nowMs: () => number;
  /** Asks the person a question that is answered with yes or no, about what was written to `stdout` last; left out if nobody is there. */
  readonly confirm?: (question: string, about?: string) => Promise<boolean>;
  /** Registers a function that Ctrl-C calls, the newest first, in place of the system's reaction. Returns a function that removes it. */
  readonly onInterrupt?: (act: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit?: (exitCode: number) => void;
}

/** Gives a command the process's own streams, folders, environment and clock. If standard output can't be written any more, the process gets SIGTERM. */
export function processIo(): CliIo {
  const { stdin, stdout, stderr } = process;
  // Whoever read it has gone: the process ends in good order, as if it was told to. Nothing that is said to nobody ends it in another way.
  stdout.once("error", () => process.kill(process.pid, "SIGTERM"));
  for (const stream of [stdout, stderr]) stream.on("error", () => undefined);
  const confirm = async (question: string, about = ""): Promise<boolean> => {
    const { askYesNo } = await import("./terminal/typed-lines.ts");
    // What goes into a file or a pipe is on no screen.
    if (!stdout.isTTY) stderr.write(about);
    const shown = async () => {
      for (const stream of [stdout, stderr]) await new Promise((resolve) => stream.write("", resolve));
    };
    return await askYesNo(question, { input: stdin, output: stderr, shown });
  };
  const isThere = stdin.isTTY && stderr.isTTY;
  const onInterrupt = (act: () => void) => {
    process.prependListener("SIGINT", act);
    return () => void process.removeListener("SIGINT", act);
  };
  const streams = { stdout, stderr, ...(isThere && { confirm }), onInterrupt, exit: (code: number) => process.exit(code) };
  return { ...streams, cwd: process.cwd(), homeFolder: homedir(), environment: process.env, nowMs: Date.now };
}

const ENDING_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Does work that ends when the process is told to (Ctrl-C, SIGTERM). Told once more, the process ends whatever it does. */
export async function untilTold<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const told = new AbortController();
  const end = () => told.abort();
  for (const signal of ENDING_SIGNALS) process.once(signal, end);
  try {
    return await work(told.signal);
  } finally {
    for (const signal of ENDING_SIGNALS) process.removeListener(signal, end);
  }
}

/** Resolves when a signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The words of something that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The exit code of a command that succeeded. */
export const EXIT_OK = 0;
/** The exit code of a command that failed, for example because no input could be read. */
export const EXIT_FAILED = 1;
/** The exit code for a wrong command line (an unknown option, policy or value), or for an input that is refused as wrong. */
export const EXIT_USAGE = 2;
/** Ctrl-C ended it: 128 and the number of the signal, as shells have it. */
export const EXIT_INTERRUPTED = 130;

/** Whether text for an output may be coloured: on a terminal, unless `NO_COLOR` is set (no-color.org). */
export function coloursOf(
  { isTTY }: Output,
  environment: { readonly [name: string]: string | undefined },
): "colours" | "plain" {
  return isTTY === true && (environment.NO_COLOR ?? "") === "" ? "colours" : "plain";
}

/** The package's version. The manifest is in the folder above `src` and `dist`. */
export function plimsollVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return isRecord(manifest) && typeof manifest.version === "string" ? manifest.version : "unknown";
}
