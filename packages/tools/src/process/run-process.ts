import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { ArtifactStore } from "@plimsoll/core";
import type { CollectedOutput } from "./output-collector.ts";
import { createOutputCollector } from "./output-collector.ts";
import { type Environment, toolEnvironment } from "./tool-environment.ts";

/** A program to run. */
export interface ProcessRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables that look like credentials are taken out of it. */
  readonly env: Environment;
  /** Names of such variables that the program sees all the same. */
  readonly passEnv?: readonly string[] | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly artifacts: ArtifactStore;
}

/** How a program ended, with what it wrote to both its outputs in the order in which it came. */
export interface ProcessResult extends CollectedOutput {
  readonly exitCode: number | null;
  readonly endSignal: string | null;
  readonly end: "exited" | "timed-out" | "cancelled" | "not-started";
}

/** Time between the polite and the final signal to a process group; chosen. */
const GRACE_MS = 2_000;

/** How long the output of a program that has ended may be silent before it is given up: what left the group can hold it open. Chosen. */
const SILENCE_MS = 1_000;

/**
 * Runs a program in a process group of its own, without input. At the timeout and when the signal aborts the whole group is ended: first asked,
 * then killed. What outlives its parent in the background is ended too; what left the group (`setsid`) lives on, and nobody waits for it. Rejects
 * only if the store does.
 */
export async function runProcess(request: ProcessRequest): Promise<ProcessResult> {
  const collector = createOutputCollector(request.artifacts);
  // Both outputs share one pipe: with two, nobody knows what came first.
  const child = spawn("sh", ["-c", 'exec "$@" 2>&1', "sh", request.command, ...request.args], {
    cwd: request.cwd,
    env: toolEnvironment(request.env, request.passEnv),
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  let end: ProcessResult["end"] = "exited";
  const stop = (why: "timed-out" | "cancelled") => {
    end = why;
    endGroup(child, "SIGTERM");
    killTimer = setTimeout(() => endGroup(child, "SIGKILL"), GRACE_MS);
  };
  let killTimer: NodeJS.Timeout | undefined;
  const onAbort = () => stop("cancelled");
  const timer = setTimeout(() => stop("timed-out"), request.timeoutMs);
  if (request.signal.aborted) onAbort();
  else request.signal.addEventListener("abort", onAbort, { once: true });
  try {
    const exited = exitOf(child);
    const [exit] = await Promise.all([exited, drain(child.stdout, { collector, exited })]);
    if (exit.error !== null) return { ...(await collector.finish()), ...exit, text: exit.error, end: "not-started" };
    return { ...(await collector.finish()), exitCode: exit.exitCode, endSignal: exit.endSignal, end };
  } catch (error) {
    await collector.discard();
    throw error;
  } finally {
    clearTimeout(timer);
    clearTimeout(killTimer);
    request.signal.removeEventListener("abort", onAbort);
    endGroup(child, "SIGKILL");
  }
}

interface Exit {
  readonly exitCode: number | null;
  readonly endSignal: string | null;
  readonly error: string | null;
}

/**
 * Resolves when the program itself ended. What it left behind in its group is killed then, because its outputs stay open as long as anyone
 * holds them.
 */
function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ exitCode: null, endSignal: null, error: error.message }));
    child.once("exit", (exitCode, endSignal) => {
      endGroup(child, "SIGKILL");
      resolve({ exitCode, endSignal, error: null });
    });
  });
}

interface Drain {
  readonly collector: { add(bytes: Uint8Array): Promise<void> };
  readonly exited: Promise<unknown>;
}

/** Collects an output to its end; once the program has ended, until it is silent. */
async function drain(stream: Readable | null, { collector, exited }: Drain): Promise<void> {
  if (stream === null) return;
  let state: "waiting" | "collecting" | "given-up" | "done" = "waiting";
  let hasExited = false;
  let silence: NodeJS.Timeout | undefined;
  const waitForSilence = () => {
    if (!hasExited || state !== "waiting") return;
    silence = setTimeout(() => {
      state = "given-up";
      stream.destroy();
    }, SILENCE_MS);
  };
  void exited.then(() => {
    hasExited = true;
    waitForSilence();
  });
  try {
    for await (const chunk of stream) {
      clearTimeout(silence);
      state = "collecting";
      if (chunk instanceof Uint8Array) await collector.add(chunk);
      state = "waiting";
      waitForSilence();
    }
    state = "done";
  } catch (error) {
    if (!isGivenUp(state)) throw error;
  } finally {
    clearTimeout(silence);
  }
}

/** Asked in a function: the type checker does not see that a timer changes the state. */
function isGivenUp(state: string): boolean {
  return state === "given-up";
}

function endGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
