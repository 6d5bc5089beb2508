import process from "node:process";
import type { AgentEvent } from "@plimsoll/agent";
import { formatNumberOf } from "@plimsoll/bench/extend";
import { type CliIo, EXIT_FAILED, EXIT_OK, programOf, say as sayOn } from "@plimsoll/bench/terminal";
import type { Command } from "commander";
import { coloursOf, untilTold } from "../io.ts";
import { openLineAsker } from "../permission/ask-by-lines.ts";
import type { TypedInput } from "../terminal/typed-lines.ts";
import { flushed, LINE_START, printableLines, wrapPiece } from "../terminal/word-wrap.ts";
import { compactionLogLine, lineFor } from "./event-lines.ts";
import { openSession } from "./open-session.ts";
import { refusalLines } from "./session-notices.ts";
import { type SessionOptions, withSessionOptions } from "./session-options.ts";
import { createShownSession } from "./status-line.ts";

interface RunOptions extends SessionOptions {
  readonly json?: boolean;
}

/** Adds `plimsoll run`: one task, to its end, for scripts and CI. */
export function defineRunCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  withSessionOptions(command.argument("<task>", "the task"))
    .option("--json", "print every event as a line of JSON")
    .action(async (task: string, options: RunOptions) => {
      const person = process.stdin.isTTY && process.stderr.isTTY ? process.stdin : null;
      onExit(await untilTold((signal) => run(task, options, { io, signal, person })));
    });
}

/** Runs a task; resolves to the exit code. The answer goes to the output, everything else to the error output, unless it is JSON. */
export async function run(
  task: string,
  options: RunOptions,
  { io, signal, person }: { readonly io: CliIo; readonly signal: AbortSignal; readonly person: TypedInput | null },
): Promise<number> {
  const say = (lines: readonly string[]) => sayOn(io.stderr, ...lines);
  const form = options.json === true ? "json" : "text";
  const shown = createShownSession(io.stderr);
  // It knows the width itself.
  const showStatus = () => void io.stderr.write(`${shown.status()}\n`);
  const onEvent = (event: AgentEvent) => {
    if (form === "json") return void io.stdout.write(`${JSON.stringify(event)}\n`);
    const line = event.type === "compaction-end" ? compactionLogLine(event.entry) : lineFor(event, shown.sessionId());
    if (line !== null) say([line]);
    if (event.type === "usage-update" && event.sessionId === shown.sessionId()) showStatus();
  };
  const screen = { output: io.stderr, colours: coloursOf(io.stderr, process.env), sessionId: shown.sessionId };
  const asking = person === null ? null : openLineAsker(screen, person);
  const ask = asking === null ? {} : { ask: asking.ask };
  const session = await openSession(options, { io, environment: process.env, onEvent, signal, ...ask }).catch((error) => {
    asking?.close();
    throw error;
  });
  const { agent, permissions } = session;
  shown.open(session);
  say(session.notices);
  try {
    if (signal.aborted) return EXIT_FAILED;
    signal.addEventListener("abort", () => agent.cancel(), { once: true });
    const { reason, text, error, steps } = await agent.submit(task);
    const isDone = reason === "done";
    const demo = options.demo ? "--demo " : "";
    if (form === "text" && text !== "") io.stdout.write(shownAnswer(io.stdout, `${printableLines(text)}\n`));
    say([`${reason} after ${formatNumberOf(steps, "step")}:`]);
    showStatus();
    say([
      ...refusalLines(permissions),
      ...(error === null ? [] : [`plimsoll: ${error.message}`]),
      ...(isDone ? [] : [`continue with: ${programOf(io)} run ${demo}--resume ${agent.sessionId} "…"`]),
    ]);
    return isDone ? EXIT_OK : EXIT_FAILED;
  } finally {
    asking?.close();
    await session.close();
  }
}

/** An answer for an output: as it was said for programs, and broken between words if a person looks at it. */
export function shownAnswer({ isTTY, columns = Number.POSITIVE_INFINITY }: CliIo["stdout"], answer: string): string {
  if (isTTY !== true) return answer;
  const { state, text } = wrapPiece(LINE_START, answer, columns);
  return `${text}${flushed(state, columns).text}`;
}
