import { spawn } from "node:child_process";
import { createLineSplitter } from "@plimsoll/core/extend";
import type { ToolSetting } from "../define-tool.ts";
import { endGroup, toolEnvironment } from "../process/run-process.ts";

/** How a wait for gdb ended. */
export interface GdbAnswer {
  /** `running`: the program runs on. `exited`: gdb itself is gone. */
  readonly state: "done" | "error" | "running" | "stopped" | "timed-out" | "exited";
  /** The output of gdb and of the program since the last answer. */
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

/** Lines that are kept until they are asked for; older ones go. Chosen. */
const MAXIMUM_HELD_LINES = 20_000;

type AnswerState = GdbAnswer["state"];
type Waiter = (state: AnswerState) => void;

/** Where gdb runs. */
export type GdbSetting = Pick<ToolSetting, "workspace" | "env" | "passEnv">;

/** Starts gdb without a program; commands load one. */
export function startGdb({ workspace, env, passEnv }: GdbSetting): GdbSession {
  const options = { cwd: workspace.root, env: toolEnvironment(env, passEnv), detached: true };
  const child = spawn("gdb", ["--nx", "--quiet", "--interpreter=mi3"], options);
  /** Text that waits until it is asked for. */
  let held: string[] = [];
  const results = new Map<number, Waiter>();
  const stops = new Set<Waiter>();
  let [runs, isGone] = [false, false];
  /** Commands that were sent: the token of the newest. */
  let newest = 0;

  const endStops = (how: AnswerState) => {
    for (const waiter of stops) waiter(how);
    stops.clear();
  };
  const hear = ({ text, program, result }: Heard) => {
    if (text !== null) held.push(text);
    if (held.length > MAXIMUM_HELD_LINES) held = held.slice(-MAXIMUM_HELD_LINES / 2);
    if (program !== null) runs = program === "runs";
    if (program === "stands") endStops("stopped");
    if (result === null) return;
    results.get(result.token)?.(result.state);
    results.delete(result.token);
  };
  const leave = () => {
    isGone = true;
    for (const waiter of results.values()) waiter("exited");
    results.clear();
    endStops("exited");
  };
  const lines = createLineSplitter(MAXIMUM_LINE_CHARS);
  const take = (line: string | null) => hear(line === null ? { ...NOTHING_HEARD, text: LINE_LEFT_OUT } : heardOn(line));
  child.stdout.setEncoding("utf8").on("data", (text: string) => lines.take(text).forEach(take));
  child.stdout.once("end", () => take(lines.end()));
  child.stderr.resume();
  child.on("error", (error) => {
    hear({ ...NOTHING_HEARD, text: `gdb could not be started: ${error.message}\n` });
    leave();
  });
  child.once("exit", leave);
  // Writing to a gdb that is gone must not end this process, nor reading output that breaks off.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);

  const answer = (how: AnswerState): GdbAnswer => ({ state: how, text: held.splice(0).join("") });
  /** Waits until the waiter is called; `timed-out` after the time, or when the signal aborts. The answer is taken at that very moment, before gdb says more. */
  const ended = (timeoutMs: number, signal: AbortSignal, register: (waiter: Waiter) => void): Promise<GdbAnswer> =>
    new Promise((resolve) => {
      let isOver = false;
      const finish: Waiter = (how) => {
        // What comes after the time is a part of the next answer.
        if (isOver) return;
        isOver = true;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        resolve(answer(how));
      };
      const onAbort = () => finish("timed-out");
      const timer = setTimeout(onAbort, timeoutMs);
      signal.addEventListener("abort", onAbort, { once: true });
      register(finish);
    });
  const atRest = () => answer(isGone ? "exited" : "stopped");
  const send = async (mi: string, timeoutMs: number, signal: AbortSignal): Promise<GdbAnswer> => {
    if (isGone) return answer("exited");
    return await ended(timeoutMs, signal, (waiter) => {
      newest += 1;
      results.set(newest, waiter);
      child.stdin.write(`${newest}${mi}\n`);
    });
  };
  const waitStopped: GdbSession["waitStopped"] = async (timeoutMs, signal) =>
    runs && !isGone ? await ended(timeoutMs, signal, (waiter) => stops.add(waiter)) : atRest();
  void send("-gdb-set confirm off", SETUP_MS, new AbortController().signal);
  return {
    command: (line, timeoutMs, signal) => send(`-interpreter-exec console ${JSON.stringify(line)}`, timeoutMs, signal),
    interrupt: async (timeoutMs, signal) => {
      if (!runs) return atRest();
      const stopped = waitStopped(timeoutMs, signal);
      // While a command of its command line runs the program, gdb reads no further commands: only the signal gets through.
      child.kill("SIGINT");
      return await stopped;
    },
    waitStopped,
    close: () => endGroup(child, "SIGKILL"),
  };
}

/** Longest line of gdb's or the program's that is read; chosen: far above every cap of a policy. */
const MAXIMUM_LINE_CHARS = 4_000_000;
const LINE_LEFT_OUT = `[a line of more than ${MAXIMUM_LINE_CHARS} characters, not shown]\n`;

interface Heard {
  readonly text: string | null;
  readonly program: "runs" | "stands" | null;
  /** The end of the command with this token. */
  readonly result: { readonly token: number; readonly state: AnswerState } | null;
}

const NOTHING_HEARD: Heard = { text: null, program: null, result: null };

/** Reads one line of gdb's machine interface. A line of another form was written by the program that is debugged. */
export function heardOn(line: string): Heard {
  if (line.trim() === "(gdb)") return NOTHING_HEARD;
  const [, token = "", mark = "", rest = ""] = /^(\d{0,9})([\^*=~&@])(.*)$/s.exec(line) ?? [];
  const isStream = "~&@".includes(mark);
  if (mark === "" || (isStream && !rest.startsWith('"'))) return { ...NOTHING_HEARD, text: `${line}\n` };
  // Text after `&` is gdb's own log.
  if (isStream) return mark === "&" ? NOTHING_HEARD : { ...NOTHING_HEARD, text: cString(rest) };
  const [, kind = "", more = ""] = /^([^,]*),?(.*)$/s.exec(rest) ?? [];
  const program = kind === "running" ? "runs" : null;
  if (mark !== "^")
    return kind === "stopped" ? { ...NOTHING_HEARD, program: "stands", text: stopText(more) } : { ...NOTHING_HEARD, program };
  const state = kind === "error" || kind === "running" ? kind : "done";
  const text = state === "error" ? `${miField(more, "msg") ?? "error"}\n` : null;
  return { text, program, result: token === "" ? null : { token: Number(token), state } };
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

/** The value of `name="…"` in a record's rest, or `null`. */
function miField(rest: string, name: string): string | null {
  const start = rest.startsWith(`${name}="`) ? 0 : rest.indexOf(`,${name}="`) + 1;
  if (!rest.startsWith(`${name}="`, start)) return null;
  return cString(rest.slice(start + name.length + 1));
}

const ESCAPES: { readonly [mark: string]: string | undefined } = {
  n: "\n",
  t: "\t",
  r: "\r",
  f: "\f",
  b: "\b",
  v: "\v",
  a: "\u0007",
  e: "\u001b",
};

/** The text of a C string that begins with a quote, up to its end. Octal escapes are bytes of UTF-8, so all is read byte by byte. Linear. */
function cString(quoted: string): string {
  const bytes = Buffer.from(quoted.slice(1)).toString("latin1");
  const end = [...bytes.matchAll(/\\.|"/gs)].find(([mark]) => mark === '"')?.index;
  const text = bytes
    .slice(0, end)
    .replace(/\\([0-7]{3}|.|$)/gs, (_, mark: string) =>
      mark.length === 3 ? String.fromCharCode(Number.parseInt(mark, 8)) : (ESCAPES[mark] ?? mark),
    );
  return Buffer.from(text, "latin1").toString("utf8");
}
