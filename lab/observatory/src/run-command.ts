import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** The surroundings of a command, and the signal that ends it. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly work: string;
  readonly signal: AbortSignal;
}

/** How a command ended, and its output on both streams. */
export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
}

/** A command that is running, in a process group of its own. */
export interface Running {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly ended: Promise<Ended>;
}

/** Starts a command; the whole group is ended when the command ends or the signal aborts. */
export function startCommand([file = "", ...args]: readonly string[], { env, work, signal }: Surroundings): Running {
  const child = spawn(file, args, { cwd: work, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  const ended = new Promise<Ended>((resolve, reject) => {
    const pieces: string[] = [];
    const end = () => endGroup(child.pid);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (piece: string) => pieces.push(piece));
    }
    // If a program ends while it is written to, its exit says so.
    child.stdin.on("error", () => undefined);
    signal.addEventListener("abort", end, { once: true });
    child.on("error", reject);
    child.once("exit", (exitCode) => {
      signal.removeEventListener("abort", end);
      endGroup(child.pid);
      // Its last output is read before its streams are closed.
      setImmediate(() => resolve({ exitCode, output: pieces.join("") }));
    });
    if (signal.aborted) end();
  });
  return { child, ended };
}

/** Runs a command without an input to its end. */
export function runCommand(command: readonly string[], surroundings: Surroundings): Promise<Ended> {
  const { child, ended } = startCommand(command, surroundings);
  child.stdin.end();
  return ended;
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended already.
  }
}
