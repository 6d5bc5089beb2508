import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import type { CliIo } from "@plimsoll/bench/terminal";
import { isRecord } from "@plimsoll/core/extend";

/** Gives a command the process's own streams, folders, environment and clock. If standard output can't be written any more, the process gets SIGTERM. */
export function processIo(): CliIo {
  const { stdin, stdout, stderr } = process;
  // The reader has gone: the process ends in good order, as on a signal. Writing without a reader ends it in no other way.
  stdout.once("error", () => process.kill(process.pid, "SIGTERM"));
  for (const stream of [stdout, stderr]) stream.on("error", () => undefined);
  const confirm = async (question: string, about = ""): Promise<boolean> => {
    const { askYesNo } = await import("./terminal/typed-lines.ts");
    // Output to a file or a pipe is on no screen.
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
  const program = { version: plimsollVersion(), demoSessions };
  return { ...program, ...streams, cwd: process.cwd(), homeFolder: homedir(), environment: process.env, nowMs: Date.now };
}

const ENDING_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Does work that ends on a signal to the process (Ctrl-C, SIGTERM). On a second one the process ends at once. */
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

/** Ctrl-C ended it: 128 and the number of the signal, as shells have it. */
export const EXIT_INTERRUPTED = 130;

/** Whether text for an output may be coloured: on a terminal, unless `NO_COLOR` is set (no-color.org). */
export function coloursOf(
  { isTTY }: CliIo["stdout"],
  environment: { readonly [name: string]: string | undefined },
): "colours" | "plain" {
  return isTTY === true && (environment.NO_COLOR ?? "") === "" ? "colours" : "plain";
}

/** The sessions that come with the program; nothing of them is loaded before. */
export async function demoSessions(): ReturnType<CliIo["demoSessions"]> {
  const { fixtureSessions } = await import("@plimsoll/fixtures");
  return fixtureSessions();
}

/** The package's version. The manifest is in the folder above `src` and `dist`. */
export function plimsollVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return isRecord(manifest) && typeof manifest.version === "string" ? manifest.version : "unknown";
}
