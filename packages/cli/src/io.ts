import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { isRecord } from "@plimsoll/core/extend";

/** Where a command writes to. */
export interface Output {
  write(text: string): unknown;
  /** True if a person looks at it live. */
  readonly isTTY?: boolean | undefined;
  /** How wide a terminal is. */
  readonly columns?: number | undefined;
}

/** The world around a command: streams, files, environment, clock. */
export interface CliIo {
  readonly stdout: Output;
  readonly stderr: NodeJS.WritableStream & Output;
  /** Where relative paths start. */
  readonly cwd: string;
  /** Below it agents keep their logs. */
  readonly homeFolder: string;
  /** Variables of the environment; none if they are left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The time, in milliseconds since 1970: for "the last seven days". */
  readonly nowMs: () => number;
  /** Asks the person a question that is answered with yes or no, about what was written to `stdout` last; left out if nobody is there. */
  readonly confirm?: (question: string, about?: string) => Promise<boolean>;
  /** Is called back when the person presses Ctrl-C, the newest first, instead of what the system does then. Returns what stops that. */
  readonly onInterrupt?: (act: () => void) => () => void;
  /** Ends the process at once. */
  readonly exit?: (exitCode: number) => void;
}

/** The process's own streams, folders and clock. */
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

/** The exit code of a process that succeeded. */
export const EXIT_OK = 0;
/** Nothing could be done: every input failed. */
export const EXIT_FAILED = 1;
/** The command line itself was wrong: an unknown option, policy or value. */
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
