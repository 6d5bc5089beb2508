import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ArtifactStore, isCredentialName } from "@plimsoll/core";
import type { ToolOutput } from "@plimsoll/core/extend";
import { type CollectedOutput, createOutputCollector } from "./output-collector.ts";

/** A program to run. */
export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** It loses variables that look like credentials. */
  readonly env: Environment;
  /** Names of such variables that the program sees all the same. */
  readonly passEnv?: readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly artifacts: ArtifactStore;
  /** Bytes for the program to read; none by default. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Changes its output before the process collects it. */
  readonly through?: (printed: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
}

/** How a program ended, with the text of both its outputs in the order in which it came. */
export interface ProcessResult extends CollectedOutput {
  readonly exitCode: number | null;
  readonly endSignal: string | null;
  readonly end: "exited" | "timed-out" | "cancelled" | "not-started";
}

/** Time between the polite and the final signal to a process group; chosen. */
const GRACE_MS = 2_000;

/** How long the output of a program that has ended may be silent before it is given up: a process that left the group can hold it open. Chosen. */
const SILENCE_MS = 1_000;

/**
 * Runs a program in a process group of its own. At the timeout and when the signal aborts the whole group is ended: first asked, then killed.
 * Processes that outlive their parent in the background are ended too; those that left the group (`setsid`) live on, and are not waited for. Rejects
 * only if the store does.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const collector = createOutputCollector(request.artifacts);
  // Both outputs share one pipe: with two, their order would be unknown.
  const child = spawn("sh", ["-c", 'exec "$@" 2>&1', "sh", request.command, ...request.args], {
    cwd: request.cwd,
    env: toolEnvironment(request.env, request.passEnv),
    stdio: [request.input === undefined ? "ignore" : "pipe", "pipe", "ignore"],
    detached: true,
  });
  // A program may end before it has read all.
  const fed = child.stdin === null ? null : pipeline(request.input ?? [], child.stdin).catch(() => undefined);
  let end: ProcessResult["end"] = "exited";
  let killTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    end = request.signal.aborted ? "cancelled" : "timed-out";
    endGroup(child, "SIGTERM");
    killTimer = setTimeout(() => endGroup(child, "SIGKILL"), GRACE_MS);
  };
  const timer = setTimeout(stop, request.timeoutMs);
  if (request.signal.aborted) stop();
  else request.signal.addEventListener("abort", stop, { once: true });
  try {
    const exited = exitOf(child);
    const [exit] = await Promise.all([exited, child.stdout && drain(child.stdout, collector.add, { exited, ...request }), fed]);
    if (exit.error !== null) return { ...(await collector.finish()), ...exit, text: exit.error, end: "not-started" };
    return { ...(await collector.finish()), exitCode: exit.exitCode, endSignal: exit.endSignal, end };
  } catch (error) {
    await collector.discard();
    throw error;
  } finally {
    clearTimeout(timer);
    clearTimeout(killTimer);
    request.signal.removeEventListener("abort", stop);
    endGroup(child, "SIGKILL");
  }
}

type Exit = Pick<ProcessResult, "exitCode" | "endSignal"> & { readonly error: string | null };

/**
 * Resolves when the program itself ended. Its processes left in the group are killed then, because its outputs stay open as long as any of them runs.
 */
function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ exitCode: null, endSignal: null, error: error.message }));
    child.once("exit", (exitCode, endSignal) => {
      endGroup(child, "SIGKILL");
      resolve({ exitCode, endSignal, error: null });
    });
  });
}

/** Collects an output to its end; once the program has ended, until it is silent. */
async function drain(
  stream: Readable,
  collect: (bytes: Uint8Array) => Promise<void>,
  { exited, through = (printed) => printed }: Pick<ProcessRequest, "through"> & { readonly exited: Promise<unknown> },
): Promise<void> {
  const givenUp = new Error("the output is silent");
  let [hasExited, isWaiting] = [false, true];
  let silence: NodeJS.Timeout | undefined;
  const waitForSilence = () => {
    if (hasExited && isWaiting) silence = setTimeout(() => stream.destroy(givenUp), SILENCE_MS);
  };
  void exited.then(() => {
    hasExited = true;
    waitForSilence();
  });
  try {
    for await (const chunk of through(stream)) {
      clearTimeout(silence);
      isWaiting = false;
      await collect(chunk);
      isWaiting = true;
      waitForSilence();
    }
  } catch (error) {
    if (error !== givenUp) throw error;
  } finally {
    isWaiting = false;
    clearTimeout(silence);
  }
}

/** Signals a program's whole process group. */
export function endGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

/** An environment: the process's own, or a replacement. */
export type Environment = { readonly [name: string]: string | undefined };

/**
 * Removes variables whose names look like credentials from an environment, except those in `passEnv`: programs that tools start never see them. This keeps keys out of
 * outputs and logs; it does not stop a program that wants them and may read everything that its user may.
 */
export function toolEnvironment(env: Environment, passEnv: readonly string[] = []): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => passEnv.includes(name) || !isCredentialName(name)));
}

/** A program's end as a tool's output: its text, and how it ended if that was not with 0. */
export function processOutput(result: ProcessResult, timeoutMs: number): ToolOutput {
  const shown = result.isBinary ? `[binary output of ${result.totalBytes} bytes, not shown]` : result.text.trimEnd();
  const how = endOf(result, timeoutMs);
  const text = [shown, how].filter((line) => line !== "").join("\n");
  const isError = result.end !== "exited" || result.exitCode !== 0;
  if (result.handle === null) return { text, isError };
  const stored = result.isStoredWhole ? `all ${result.totalBytes} bytes` : `the beginning of ${result.totalBytes} bytes`;
  return { text, isError, hint: `${stored}: recall with handle ${result.handle}` };
}

const MS_PER_SECOND = 1_000;

function endOf({ end, exitCode, endSignal }: ProcessResult, timeoutMs: number): string {
  switch (end) {
    case "timed-out":
      return `[ended after ${timeoutMs / MS_PER_SECOND} s: it had not finished. Give a longer timeout, or run it in the background]`;
    case "cancelled":
      return "[cancelled]";
    case "not-started":
      return "[could not be started]";
    case "exited":
      if (endSignal !== null) return `[ended by ${endSignal}]`;
      return exitCode === 0 ? "" : `[exit code ${exitCode}]`;
    default:
      return end satisfies never;
  }
}

/** Words that `sh` takes as they are. A word with `=` is quoted: at the beginning of a line it would set a variable. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+:,./-]+$/;

/** A program and its arguments as one command line for `sh` that runs just that. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.split("'").join("'\\''")}'`)).join(" ");
}
