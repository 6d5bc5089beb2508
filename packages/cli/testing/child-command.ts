import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** How a command line that ran as a process of its own ended. */
interface ChildOutcome {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line to run from the sources, in a folder that is its home, too. */
interface ChildCommand {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Kill it (SIGKILL) once files of rows below a folder have so many lines. */
  readonly killAfter?: { readonly folder: string; readonly lines: number };
  /** Press Ctrl-C once it said something on its output. */
  readonly interruptWhenHeard?: true;
  /** In addition to the variables of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The text of standard input; none if it is left out. */
  readonly input?: string;
}

const LOADER = new URL("../../../scripts/typescript-loader.mjs", import.meta.url).href;
const PROGRAM = `
import { main } from ${JSON.stringify(new URL("../src/main.ts", import.meta.url).href)};
import { processIo } from ${JSON.stringify(new URL("../src/io.ts", import.meta.url).href)};
process.exitCode = await main(process.argv.slice(1), processIo());
`;

/** The arguments by which Node runs a command line from the sources. */
export function sourceArgs(args: readonly string[]): readonly string[] {
  return ["--conditions=source", "--import", LOADER, "--input-type=module", "-e", PROGRAM, "--", ...args];
}

/** Runs the command to its end, or to its killing. */
export function runChild({
  args,
  cwd,
  killAfter,
  interruptWhenHeard,
  environment = {},
  input,
}: ChildCommand): Promise<ChildOutcome> {
  const child = spawn(process.execPath, sourceArgs(args), {
    cwd,
    env: { ...process.env, HOME: cwd, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(input);
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  if (interruptWhenHeard) child.stdout.once("data", () => child.kill("SIGINT"));
  const stopWatching = killAfter === undefined ? () => undefined : onLines(killAfter, () => child.kill("SIGKILL"));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (exitCode, signal) => {
      stopWatching();
      resolve({ exitCode, signal, ...output });
    });
  });
}

/** Acts once files of rows below a folder have so many lines. Returns a function that stops watching. */
export function onLines({ folder, lines }: NonNullable<ChildCommand["killAfter"]>, act: () => void): () => void {
  mkdirSync(folder, { recursive: true });
  const watcher = watch(folder, { recursive: true }, (_, name) => {
    if (name?.endsWith(".jsonl") !== true || rowsIn(join(folder, name)).length < lines) return;
    watcher.close();
    act();
  });
  return () => watcher.close();
}

/** The whole lines of a file of rows, parsed; none if there is no such file. */
export function rowsIn(path: string): readonly unknown[] {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
  return lines.map((line): unknown => JSON.parse(line));
}
