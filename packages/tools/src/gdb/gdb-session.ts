import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Environment, toolEnvironment } from "../process/tool-environment.ts";
import { miField, miRecord } from "./mi-record.ts";

/** How a wait for gdb ended. */
export interface GdbAnswer {
  /** `running`: the program runs on. `exited`: gdb itself is gone. */
  readonly state: "done" | "error" | "running" | "stopped" | "timed-out" | "exited";
  /** What gdb and the program said since the last answer. */
  readonly text: string;
}

/** One gdb process over its machine interface. */
export interface GdbSession {
  command(line: string, timeoutMs: number, signal: AbortSignal): Promise<GdbAnswer>;
  interrupt(timeoutMs: number, signal: AbortSignal): Promise<GdbAnswer>;
  /** Waits until the program stops; at once if it does not run. */
  waitStopped(timeoutMs: number, signal: AbortSignal): Promise<GdbAnswer>;
  close(): void;
}

/** Where gdb works. */
export interface GdbSetting {
  readonly program: string;
  readonly cwd: string;
  /** Variables that look like credentials are taken out of it. */
  readonly env: Environment;
  /** Names of such variables that gdb and its program see all the same. */
  readonly passEnv?: readonly string[] | undefined;
}

/** Lines that are kept while nobody asks; older ones go. Chosen. */
const MAXIMUM_HELD_LINES = 20_000;

type Waiter = (answer: GdbAnswer["state"]) => void;

/** Starts gdb without a program; commands load one. */
export function startGdb({ program, cwd, env, passEnv }: GdbSetting): GdbSession {
  const child = spawn(program, ["--nx", "--quiet", "--interpreter=mi3"], {
    cwd,
    env: toolEnvironment(env, passEnv),
    detached: true,
  });
  const results = new Map<number, Waiter>();
  const stops = new Set<Waiter>();
  let said: string[] = [];
  let token = 0;
  let isRunning = false;
  let isGone = false;

  const say = (text: string) => {
    said.push(text);
    if (said.length > MAXIMUM_HELD_LINES) said = said.slice(-MAXIMUM_HELD_LINES / 2);
  };
  const endAll = (state: GdbAnswer["state"]) => {
    for (const waiter of [...results.values(), ...stops]) waiter(state);
    results.clear();
    stops.clear();
  };
  const onStopped = (rest: string) => {
    isRunning = false;
    say(stopText(rest));
    for (const waiter of stops) waiter("stopped");
    stops.clear();
  };
  const read = (line: string) => {
    const record = miRecord(line);
    switch (record.kind) {
      case "console":
      case "target":
        say(record.text);
        break;
      case "program":
        say(`${record.text}\n`);
        break;
      case "async":
        if (record.class === "running") isRunning = true;
        if (record.class === "stopped") onStopped(record.rest);
        break;
      case "result": {
        if (record.class === "running") isRunning = true;
        if (record.class === "error") say(`${miField(record.rest, "msg") ?? "error"}\n`);
        const waiter = record.token === null ? undefined : results.get(record.token);
        if (record.token !== null) results.delete(record.token);
        waiter?.(record.class === "error" ? "error" : record.class === "running" ? "running" : "done");
        break;
      }
      case "log":
      case "prompt":
        break;
      default:
        record satisfies never;
    }
  };
  createInterface({ input: child.stdout }).on("line", read);
  child.stderr.resume();
  const gone = () => {
    isGone = true;
    endAll("exited");
  };
  child.once("error", (error) => {
    say(`gdb could not be started: ${error.message}\n`);
    gone();
  });
  child.once("exit", gone);
  // Writing to a gdb that is gone must not end this process.
  child.stdin.on("error", () => undefined);

  const answer = (state: GdbAnswer["state"]): GdbAnswer => {
    const text = said.join("");
    said = [];
    return { state, text };
  };
  const waitFor = (register: (waiter: Waiter) => void, timeoutMs: number, signal: AbortSignal): Promise<GdbAnswer> =>
    new Promise((resolve) => {
      const finish: Waiter = (state) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        resolve(answer(state));
      };
      const onAbort = () => finish("timed-out");
      const timer = setTimeout(() => finish("timed-out"), timeoutMs);
      if (isGone) finish("exited");
      else register(finish);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  const send = (mi: string, timeoutMs: number, signal: AbortSignal): Promise<GdbAnswer> =>
    waitFor(
      (waiter) => {
        token += 1;
        results.set(token, waiter);
        child.stdin.write(`${token}${mi}\n`);
      },
      timeoutMs,
      signal,
    );
  const waitStopped: GdbSession["waitStopped"] = async (timeoutMs, signal) =>
    isRunning ? await waitFor((waiter) => stops.add(waiter), timeoutMs, signal) : answer(isGone ? "exited" : "stopped");
  void send("-gdb-set confirm off", SETUP_MS, new AbortController().signal);
  return {
    command: (line, timeoutMs, signal) => send(`-interpreter-exec console ${JSON.stringify(line)}`, timeoutMs, signal),
    interrupt: async (timeoutMs, signal) => {
      if (!isRunning) return answer(isGone ? "exited" : "stopped");
      const stopped = waitStopped(timeoutMs, signal);
      // While a command of its command line runs the program, gdb reads no further commands: only the signal gets through.
      child.kill("SIGINT");
      return await stopped;
    },
    waitStopped,
    close: () => endGroup(child),
  };
}

/** Settings are made before the first command; gdb takes them in order. */
const SETUP_MS = 30_000;

function stopText(rest: string): string {
  const reason = miField(rest, "reason") ?? "stopped";
  const code = miField(rest, "exit-code");
  const signal = miField(rest, "signal-name");
  const details = [code === null ? null : `exit code ${Number.parseInt(code, 8)}`, signal].filter((each) => each !== null);
  return `[${[reason, ...details].join(", ")}]\n`;
}

function endGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
