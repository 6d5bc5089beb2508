import process from "node:process";
import { createInterface } from "node:readline";
import { isPlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import type { CliIo } from "../io.ts";
import { coloursOf, EXIT_OK } from "../io.ts";
import { createLineAsker, openLineAsker } from "../permission/ask-by-lines.ts";
import { createRenderer } from "../run/event-lines.ts";
import { openSession } from "../run/open-session.ts";
import { refusalLines } from "../run/session-notices.ts";
import { type SessionOptions, withSessionOptions } from "../run/session-options.ts";
import { createStatus } from "../run/status-line.ts";
import { printable } from "../terminal/printable.ts";
import { answer } from "./answer.ts";
import { chatLine } from "./slash-command.ts";

/** Adds `plimsoll chat`. */
export function addChatCommand(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  withSessionOptions(
    program.command("chat").description("work with the agent in a session; /help lists what can be typed"),
  ).action(async (options: SessionOptions) =>
    onExit(await chat(options, { io, input: process.stdin, isTerminal: process.stdin.isTTY })),
  );
}

/** Where a chat comes from. */
export interface ChatInput {
  readonly io: CliIo;
  readonly input: NodeJS.ReadableStream;
  readonly isTerminal: boolean;
}

const ASKING_LINE = "Commands and changes of files are asked about; /allow commands stops that.";

/** What is known of a session once it is open. */
interface Told {
  sessionId: string | null;
  status: () => string;
}

/** Chats until the input ends or the person leaves. Ctrl-C ends what the agent does; if it does nothing, the chat. */
export async function chat(options: SessionOptions, { io, input, isTerminal }: ChatInput): Promise<number> {
  const write = (text: string) => void io.stdout.write(text);
  const told: Told = { sessionId: null, status: () => "" };
  const onEvent = createRenderer({ write, status: () => told.status(), sessionId: () => told.sessionId });
  const screen = { output: io.stdout, colours: coloursOf(io.stdout, process.env), sessionId: () => told.sessionId };
  // Lines of a pipe were written before a question was: they are no answers.
  const first = isTerminal ? openLineAsker(screen, input) : null;
  const ask = first === null ? {} : { ask: first.ask };
  const session = await openSession(options, { io, environment: process.env, onEvent, ...ask }).finally(() => first?.close());
  const { agent } = session;
  told.sessionId = agent.sessionId;
  let shown = "";
  const statusNow = createStatus(session, io.stdout);
  told.status = () => {
    shown = statusNow();
    return shown;
  };
  const asker = createLineAsker(screen);
  if (isTerminal) session.permissions.askThrough(asker.ask);
  write(`${[...session.notices, ...(isTerminal ? [ASKING_LINE] : []), "/help lists what can be typed."].join("\n")}\n`);
  const lines = createInterface({ input, terminal: false });
  const isBusy = () => agent.state().status === "running" || agent.state().status === "compacting";
  const interrupt = () => {
    // What is said next does not belong behind the question.
    if (asker.isOpen()) write("\n");
    if (isBusy()) agent.cancel();
    else lines.close();
  };
  const end = () => {
    agent.cancel();
    lines.close();
  };
  process.on("SIGINT", interrupt);
  process.once("SIGTERM", end);
  const prompt = () => {
    if (!isTerminal || isBusy()) return;
    const before = shown;
    const now = told.status();
    // The status of the last step stands right above already.
    write(now === before ? "› " : `${now}\n› `);
  };
  let running: Promise<void> = Promise.resolve();
  try {
    prompt();
    for await (const line of lines) {
      if (asker.isOpen() && !line.trimStart().startsWith("/")) {
        asker.answer(line);
        continue;
      }
      const asked = chatLine(line);
      if (asked.kind === "quit") break;
      // A message that is typed while the agent works is for the run that goes on.
      if (asked.kind === "message" && agent.state().status === "running" && isTerminal) {
        agent.steer(asked.text);
        continue;
      }
      const isMeanwhile = isBusy();
      const work = answer(asked, session, { write, status: told.status, io }).catch((error: unknown) => {
        // Whatever it is, the person is told in a line and the session goes on.
        const what = error instanceof Error ? error.message : String(error);
        write(`plimsoll: ${isPlimsollError(error) ? "" : "unexpected: "}${printable(what)}\n`);
      });
      const done = work.then(() => (asker.isOpen() ? asker.remind() : prompt()));
      running = Promise.all([running, done]).then(() => undefined);
      // What is asked for while the agent works may wait for an answer that is still to be typed.
      if (!isTerminal || (asked.kind !== "message" && !isMeanwhile)) await done;
    }
    if (!isTerminal) await running;
  } finally {
    process.removeListener("SIGINT", interrupt);
    process.removeListener("SIGTERM", end);
    lines.close();
    await session.close();
  }
  await running;
  if (!isTerminal) for (const line of refusalLines(session.permissions)) write(`${line}\n`);
  write(`\ngo on with: plimsoll chat --resume ${agent.sessionId}\n`);
  return EXIT_OK;
}
