import process from "node:process";
import type { AgentEvent } from "@plimsoll/core/agent";
import type { Command } from "commander";
import { EXIT_FAILED, EXIT_OK } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { printable } from "../terminal/printable.ts";
import { eventLine } from "./event-lines.ts";
import { openSession } from "./open-session.ts";
import { type SessionOptions, withSessionOptions } from "./session-options.ts";
import { createSpending } from "./spending.ts";
import { statusLine } from "./status-line.ts";

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
      process.once("SIGINT", onSignal);
      try {
        onExit(await run(task, options, { io, signal: abort.signal }));
      } finally {
        process.removeListener("SIGINT", onSignal);
      }
    });
}

/** Runs a task; resolves to the exit code. The answer goes to the output, everything else to the error output, unless it is JSON. */
export async function run(
  task: string,
  options: RunOptions,
  { io, signal }: { readonly io: CliIo; readonly signal: AbortSignal },
): Promise<number> {
  const session = await openSession(options, { io, environment: process.env });
  const { agent } = session;
  const spending = createSpending(session.prices);
  const status = () => statusLine({ context: agent.state().context, ...spending(agent.entries()) });
  const say = (line: string) => void io.stderr.write(`${line}\n`);
  const tell = (event: AgentEvent) => {
    const line = eventLine(event);
    if (line !== null) say(line);
    if (event.type === "usage-update") say(`  step ${agent.state().step}: ${status()}`);
  };
  agent.subscribe(options.json === true ? (event) => void io.stdout.write(`${JSON.stringify(event)}\n`) : tell);
  signal.addEventListener("abort", () => agent.cancel(), { once: true });
  say(`session ${agent.sessionId}; policy ${session.policy.name}; ${session.windowLine}`);
  if (agent.cutOff !== null) say(`the log's last line had been cut off after ${agent.cutOff.bytes} bytes; it was removed`);
  try {
    const { reason, text, error, steps } = await agent.submit(task);
    if (options.json !== true && text !== "") io.stdout.write(`${printableLines(text)}\n`);
    say(`${reason} after ${steps} steps; ${status()}`);
    if (error !== null) say(`plimsoll: ${printable(error.message)}`);
    if (reason !== "done") say(`go on with: plimsoll run --resume ${agent.sessionId} "…"`);
    return reason === "done" ? EXIT_OK : EXIT_FAILED;
  } finally {
    await session.close();
  }
}

/** Text of several lines without what could steer the terminal. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => printable(line.split("\t").join("    ")))
    .join("\n");
}
