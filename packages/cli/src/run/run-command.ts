import process from "node:process";
import { compactionLogLine } from "@plimsoll/core";
import type { AgentEvent } from "@plimsoll/core/agent";
import type { Command } from "commander";
import { EXIT_FAILED, EXIT_OK } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { printable, printableLines } from "../terminal/printable.ts";
import { lineFor } from "./event-lines.ts";
import { openSession } from "./open-session.ts";
import { type SessionOptions, withSessionOptions } from "./session-options.ts";
import { createStatus } from "./session-status.ts";

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
        onExit(await run(task, options, { io, signal: abort.signal }));
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

/** Runs a task; resolves to the exit code. The answer goes to the output, everything else to the error output, unless it is JSON. */
export async function run(
  task: string,
  options: RunOptions,
  { io, signal }: { readonly io: CliIo; readonly signal: AbortSignal },
): Promise<number> {
  const say = (line: string) => void io.stderr.write(`${line}\n`);
  const told: Told = { sessionId: null, status: () => "" };
  const asLines = (event: AgentEvent) => {
    const line = event.type === "compaction-end" ? compactionLogLine(event.entry) : lineFor(event, told.sessionId);
    if (line !== null) say(line);
    if (event.type === "usage-update" && event.sessionId === told.sessionId) say(`  ${told.status()}`);
  };
  const asJson = (event: AgentEvent) => void io.stdout.write(`${JSON.stringify(event)}\n`);
  const onEvent = options.json === true ? asJson : asLines;
  const session = await openSession(options, { io, environment: process.env, onEvent });
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
    if (error !== null) say(`plimsoll: ${printable(error.message)}`);
    if (reason !== "done") say(`go on with: plimsoll run --resume ${agent.sessionId} "…"`);
    return reason === "done" ? EXIT_OK : EXIT_FAILED;
  } finally {
    await session.close();
  }
}
