import process from "node:process";
import type { AgentEvent } from "@plimsoll/core/agent";
import { compactionLogLine } from "@plimsoll/core/internal";
import type { Command } from "commander";
import type { CliIo } from "../io.ts";
import { coloursOf, EXIT_FAILED, EXIT_OK } from "../io.ts";
import { openLineAsker } from "../permission/ask-by-lines.ts";
import { printable, printableLines } from "../terminal/printable.ts";
import { lineFor } from "./event-lines.ts";
import { openSession } from "./open-session.ts";
import { refusalLines } from "./session-notices.ts";
import { type SessionOptions, withSessionOptions } from "./session-options.ts";
import { createStatus } from "./status-line.ts";

interface RunOptions extends SessionOptions {
  readonly json?: boolean;
}

/** Adds `plimsoll run`: one task, to its end, for scripts and CI. */
export function addRunCommand(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  withSessionOptions(program.command("run").description("let the agent work on one task").argument("<task>", "what to do"))
    .option("--json", "print every event as a line of JSON")
    .action(async (task: string, options: RunOptions) => {
      const abort = new AbortController();
      const onSignal = () => abort.abort();
      // Once: a second Ctrl-C ends the process, whatever it does.
      for (const signal of ENDING_SIGNALS) process.once(signal, onSignal);
      try {
        const person = process.stdin.isTTY && process.stderr.isTTY ? process.stdin : null;
        onExit(await run(task, options, { io, signal: abort.signal, person }));
      } finally {
        for (const signal of ENDING_SIGNALS) process.removeListener(signal, onSignal);
      }
    });
}

const ENDING_SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** What is known of a session once it is open. */
interface Told {
  sessionId: string | null;
  status: () => string;
}

/** Where a run happens. `person` is where somebody types, `null` if nobody does. */
export interface RunPlace {
  readonly io: CliIo;
  readonly signal: AbortSignal;
  readonly person: NodeJS.ReadableStream | null;
}

/** Runs a task; resolves to the exit code. The answer goes to the output, everything else to the error output, unless it is JSON. */
export async function run(task: string, options: RunOptions, { io, signal, person }: RunPlace): Promise<number> {
  const say = (line: string) => void io.stderr.write(`${line}\n`);
  const told: Told = { sessionId: null, status: () => "" };
  const asLines = (event: AgentEvent) => {
    const line = event.type === "compaction-end" ? compactionLogLine(event.entry) : lineFor(event, told.sessionId);
    if (line !== null) say(line);
    if (event.type === "usage-update" && event.sessionId === told.sessionId) say(`  ${told.status()}`);
  };
  const asJson = (event: AgentEvent) => void io.stdout.write(`${JSON.stringify(event)}\n`);
  const onEvent = options.json === true ? asJson : asLines;
  const screen = { output: io.stderr, colours: coloursOf(io.stderr, process.env), sessionId: () => told.sessionId };
  const asking = person === null ? null : openLineAsker(screen, person);
  const ask = asking === null ? {} : { ask: asking.ask };
  const session = await openSession(options, { io, environment: process.env, onEvent, signal, ...ask }).catch((error) => {
    asking?.close();
    throw error;
  });
  const { agent } = session;
  told.sessionId = agent.sessionId;
  told.status = createStatus(session, io.stderr);
  for (const notice of session.notices) say(notice);
  try {
    if (signal.aborted) return EXIT_FAILED;
    signal.addEventListener("abort", () => agent.cancel(), { once: true });
    const { reason, text, error, steps } = await agent.submit(task);
    if (options.json !== true && text !== "") io.stdout.write(`${printableLines(text)}\n`);
    say(`${reason} after ${steps === 1 ? "1 step" : `${steps} steps`}: ${told.status()}`);
    for (const line of refusalLines(session.permissions)) say(line);
    if (error !== null) say(`plimsoll: ${printable(error.message)}`);
    if (reason !== "done") say(`go on with: plimsoll run --resume ${agent.sessionId} "…"`);
    return reason === "done" ? EXIT_OK : EXIT_FAILED;
  } finally {
    asking?.close();
    await session.close();
  }
}
