import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import {
  type ExchangeFacts,
  LAST_REPLY,
  playScenario,
  type Scenario,
  type SimulatedReply,
  type SimulatorOptions,
  startSimulator,
} from "@plimsoll/simulator";
import type { Program, StatedLimits } from "./program.ts";
import { type Ended, type Running, runCommand, type Surroundings, startCommand } from "./run-command.ts";

/** The settings of one play. The program's own kinds and tools are added to the scenario. */
export interface PlayRequest {
  readonly scenario: Omit<Scenario, "kinds" | "tools" | "person">;
  readonly limits: StatedLimits;
  /** Traits of the server, or of the model on it. */
  readonly server?: Pick<SimulatorOptions, "roles" | "rules" | "reasoning">;
  readonly prompts: readonly string[];
  /** Files of the work folder, text by name. */
  readonly files?: { readonly [name: string]: string };
  /** The number of requests after which the program is ended. */
  readonly atMostRequests?: number;
  /** Starts the program between the played one and the simulator; it is given an empty folder, and closed when the played one has ended. */
  readonly between?: (simulatorUrl: string, folder: string) => Promise<Between>;
  /** The time after which the program is ended; {@link MOST_MS} if it is left out. */
  readonly mostMs?: number;
}

/** A process between a program and the simulator. */
export interface Between {
  readonly url: string;
  close(): Promise<void>;
}

/** A program's requests, and how it ended. */
export interface Played {
  readonly exchanges: readonly ExchangeFacts[];
  /** Of the last command; `null` if it was ended here. */
  readonly exitCode: number | null;
  readonly told: Told;
  readonly endedBy: "itself" | "requests" | "time";
  /** Requests that the simulator refused, in the simulator's words: for the person at the terminal, never kept. */
  readonly refusals: readonly string[];
  /** Calls whose output did not come back whole, by number. */
  readonly lostOutputs: readonly number[];
}

/** The kind of the last words to the person: the model's last words, that the context is too long, that something failed, something else, or nothing. */
export const TOLD = ["answer", "too long", "error", "other words", "nothing"] as const;
export type Told = (typeof TOLD)[number];

/** Where a program is found and run. */
export interface Places {
  /** The folder that the package is installed in. */
  readonly installed: string;
  /** Node 22, for programs that need it. */
  readonly node22: string;
  /** A folder only for this run. It is emptied. */
  readonly folder: string;
  /** Whether programs get a process namespace of their own, so that nothing they leave behind lives on. */
  readonly processes: "apart" | "together";
}

/** A program that has not ended by then is ended: many times the longest time on an idle machine. Chosen. */
const MOST_MS = 400_000;

/** The size of the simulated window: nothing is refused for its size that a scenario does not refuse. */
const OPEN_WINDOW_TOKENS = 100_000_000;

/** The vendor's own summary, for a proxy that asks for it. */
const SUMMARY_REPLY: SimulatedReply = { parts: [{ type: "text", text: "The conversation so far, in short. ".repeat(40) }] };

/** Plays a scenario with a program, from an empty home, and gives the result. */
export async function play(program: Program, request: PlayRequest, places: Places): Promise<Played> {
  const { limits, prompts } = request;
  const work = join(places.folder, "work");
  const exchanges: ExchangeFacts[] = [];
  const refusals: string[] = [];
  const controller = new AbortController();
  const { kinds } = program;
  const scenario = {
    windowTokens: OPEN_WINDOW_TOKENS,
    ...request.scenario,
    kinds,
    tools: program.tools(work),
    person: prompts,
  };
  const options = playScenario(scenario, (facts) => {
    exchanges.push(facts);
    if (exchanges.length >= (request.atMostRequests ?? Number.POSITIVE_INFINITY)) controller.abort("requests");
  });
  const { replies } = options;
  const printed = watchPrinted();
  const simulator = await startSimulator({
    ...options,
    ...request.server,
    replies: (asked) => (asked.asks === "summary" || typeof replies !== "function" ? SUMMARY_REPLY : replies(asked)),
    onRequest: (wire, body) => {
      printed.see(body);
      options.onRequest?.(wire, body);
    },
    maximumOutputTokens: OPEN_WINDOW_TOKENS,
    windowHolds: "prompt",
    nowMs: () => 0,
    onExchange: (exchange) => {
      if (exchange.outcome === "rejected") refusals.push(exchange.error ?? "");
      options.onExchange?.(exchange);
    },
  });
  rmSync(places.folder, { recursive: true, force: true });
  const betweenFolder = join(places.folder, "between");
  mkdirSync(betweenFolder, { recursive: true });
  const between = await request.between?.(simulator.url, betweenFolder);
  const timer = setTimeout(() => controller.abort("time"), request.mostMs ?? MOST_MS);
  const setting = {
    ...limits,
    url: between?.url ?? simulator.url,
    work,
    home: join(places.folder, "home"),
    modelId: program.modelId,
    prompts,
  };
  try {
    const ended = await start(program, { setting, files: request.files ?? {}, places, signal: controller.signal });
    const reason: unknown = controller.signal.aborted ? controller.signal.reason : "itself";
    return {
      exchanges,
      exitCode: controller.signal.aborted ? null : ended.exitCode,
      told: toldIn(ended.output),
      endedBy: reason === "time" || reason === "requests" ? reason : "itself",
      refusals,
      lostOutputs: printed.lost(),
    };
  } finally {
    clearTimeout(timer);
    await between?.close();
    await simulator.close();
  }
}

interface Start {
  readonly setting: Parameters<Program["launch"]>[0];
  readonly files: { readonly [name: string]: string };
  readonly places: Places;
  readonly signal: AbortSignal;
}

/** Writes the program's files, and runs it to its end; gives the end of its last command. */
async function start(program: Program, { setting, files, places, signal }: Start): Promise<Ended> {
  const { home, work, prompts } = setting;
  const launch = program.launch(setting);
  for (const folder of [home, work]) mkdirSync(folder, { recursive: true });
  const inWork = Object.entries(files).map(([name, text]) => [join(work, name), text] as const);
  for (const [path, text] of [...Object.entries(launch.files), ...inWork]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const surroundings: Surroundings = { env: { ...cleanEnvironment(home), ...launch.env }, work, signal };
  if ("talk" in launch.start) return talk(commandOf(program, places, launch.start.talk), prompts, surroundings);
  let ended: Ended = { exitCode: null, output: "" };
  const { commands, beforeLast } = launch.start;
  for (const [index, command] of commands.entries()) {
    if (beforeLast !== undefined && index === commands.length - 1) {
      const script = [process.execPath, ...beforeLast, ...commandOf(program, { ...places, processes: "together" }, [])];
      ended = await runCommand(script, surroundings);
      if (ended.exitCode !== 0) throw new Error(ended.output);
    }
    if (!signal.aborted) ended = await runCommand(commandOf(program, places, command), surroundings);
  }
  return ended;
}

/** Nothing of this machine's environment but where programs are, and words against reports and updates that many programs heed. */
function cleanEnvironment(home: string): { readonly [name: string]: string } {
  return {
    PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: home,
    TMPDIR: home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    TERM: "dumb",
    CI: "1",
    NO_COLOR: "1",
    DO_NOT_TRACK: "1",
    DISABLE_TELEMETRY: "1",
    NO_UPDATE_NOTIFIER: "1",
    ...DEAD_PROXIES,
  };
}

/** Requests to other machines are refused at once. */
const DEAD_PROXIES = {
  HTTP_PROXY: "http://127.0.0.1:9",
  HTTPS_PROXY: "http://127.0.0.1:9",
  http_proxy: "http://127.0.0.1:9",
  https_proxy: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
  no_proxy: "127.0.0.1,localhost",
};

/** Ends all that is in the namespace when its first process ends; that is a shell, since programs do not expect to be the first. */
const APART = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh"];

function commandOf({ runtime, entry, ownFile }: Program, places: Places, args: readonly string[]): readonly string[] {
  const file = ownFile ?? join(places.installed, "node_modules", entry);
  const before = places.processes === "apart" ? APART : [];
  switch (runtime) {
    case "itself":
      return [...before, file, ...args];
    case "node":
      return [...before, process.execPath, file, ...args];
    case "node-22":
      return [...before, places.node22, file, ...args];
    default:
      return runtime satisfies never;
  }
}

function toldIn(output: string): Told {
  if (output.includes(LAST_REPLY)) return "answer";
  if (/context (window|length)|context_length|too (long|large)|exceeds the (maximum|context)/i.test(output)) return "too long";
  if (/error|failed/i.test(output)) return "error";
  return output.trim() === "" ? "nothing" : "other words";
}

/** Compares the output of commands with the part of it that the model got. */
interface Printed {
  /** Takes in a request's body. */
  see(body: unknown): void;
  /** The calls whose output did not come back whole, by number. */
  lost(): readonly number[];
}

/** A call of PRINT_COMMAND, in JSON. */
const CALL = /yes 'line of call (\d+)' \| head -c (\d+)/g;

/** Looks at each call of PRINT_COMMAND in the first request that holds it: there its output is as the program's tool gave it. */
export function watchPrinted(): Printed {
  const seen = new Set<number>();
  const lost: number[] = [];
  return {
    see: (body) => {
      const json = JSON.stringify(body);
      for (const [, call, chars] of json.matchAll(CALL)) {
        const number = Number(call);
        if (seen.has(number)) continue;
        seen.add(number);
        if (linesIn(json, number) < wholeLines(number, Number(chars))) lost.push(number);
      }
    },
    lost: () => lost,
  };
}

const lineOf = (call: number) => `line of call ${call}`;

/** Lines that the command ends itself. */
function wholeLines(call: number, chars: number): number {
  return Math.floor(chars / (lineOf(call).length + 1));
}

/** Lines of its own, in JSON: text before them ends in a line's end, or is a label; the command has its line in quotes. */
function linesIn(json: string, call: number): number {
  return json.split(new RegExp(`(?<!')${lineOf(call)}(?!\\d)`)).length - 1;
}

/**
 * Starts a program that speaks the Agent Client Protocol (agentclientprotocol.com) and says the person's messages to it, one after the other, in one
 * session. Its requests for permission are granted.
 */
async function talk(command: readonly string[], prompts: readonly string[], surroundings: Surroundings): Promise<Ended> {
  const running = startCommand(command, surroundings);
  const heard: string[] = [];
  const talked = sayAll(running, prompts, { work: surroundings.work, heard }).then(() => running.child.stdin.end());
  // A program that ends before it has answered leaves the talk waiting; its end is the answer.
  await Promise.race([talked, running.ended]);
  const timer = setTimeout(() => running.child.kill("SIGKILL"), GRACE_MS);
  const { exitCode } = await running.ended;
  clearTimeout(timer);
  return { exitCode, output: heard.join("") };
}

/** The time in which a program has to end after the last answer. Chosen. */
const GRACE_MS = 2_000;

interface Session {
  readonly work: string;
  /** The person's screen is added to it: the model's words, and errors. */
  readonly heard: string[];
}

async function sayAll({ child }: Running, prompts: readonly string[], { work, heard }: Session): Promise<void> {
  const waiting = new Map<number, (result: unknown) => void>();
  let nextId = 0;
  const write = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      nextId += 1;
      waiting.set(nextId, resolve);
      write({ id: nextId, method, params });
    });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = recordIn(line);
    if (typeof message.method === "string" && message.id !== undefined) {
      write({ id: message.id, result: { outcome: { outcome: "selected", optionId: allowing(message.params) } } });
      return;
    }
    const update = fieldOf(message.params, "update");
    if (fieldOf(update, "sessionUpdate") === "agent_message_chunk")
      heard.push(String(fieldOf(fieldOf(update, "content"), "text")));
    if (message.error !== undefined) heard.push(`error ${String(fieldOf(message.error, "message"))}`);
    if (typeof message.id === "number") waiting.get(message.id)?.(message.result);
  });
  await ask("initialize", {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  const session = await ask("session/new", { cwd: work, mcpServers: [] });
  const sessionId = fieldOf(session, "sessionId");
  for (const text of prompts) await ask("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
}

function allowing(params: unknown): unknown {
  const options = fieldOf(params, "options");
  const list: readonly unknown[] = Array.isArray(options) ? options : [];
  const allowed = list.find((option) => String(fieldOf(option, "kind")).startsWith("allow"));
  return fieldOf(allowed ?? list[0], "optionId");
}

function recordIn(line: string): { readonly [key: string]: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    // A line that is no message: programs print others.
    return {};
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)).get(key) : undefined;
}
