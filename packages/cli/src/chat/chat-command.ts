import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import type { FitOutcome } from "@plimsoll/core";
import { isPlimsollError } from "@plimsoll/core";
import type { AgentEvent } from "@plimsoll/core/agent";
import type { Command } from "commander";
import { EXIT_OK } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { policyYaml } from "../policy/policy-yaml.ts";
import { eventLine } from "../run/event-lines.ts";
import { type OpenSession, openSession } from "../run/open-session.ts";
import { printableLines } from "../run/run-command.ts";
import { type SessionOptions, withSessionOptions } from "../run/session-options.ts";
import { createSpending } from "../run/spending.ts";
import { statusLine } from "../run/status-line.ts";
import { printable } from "../terminal/printable.ts";
import { contextTable } from "./context-table.ts";
import { CHAT_HELP, type ChatLine, chatLine } from "./slash-command.ts";

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

/** Chats until the input ends or the person leaves. Ctrl-C ends a run or a compaction; where none goes on, the chat. */
export async function chat(options: SessionOptions, { io, input, isTerminal }: ChatInput): Promise<number> {
  const session = await openSession(options, { io, environment: process.env });
  const { agent } = session;
  const write = (text: string) => void io.stdout.write(text);
  const spending = createSpending(session.prices);
  let shown = "";
  const status = () => {
    shown = statusLine({ context: agent.state().context, ...spending(agent.entries()) });
    return shown;
  };
  agent.subscribe(createRenderer(write, status));
  write(`session ${agent.sessionId}; policy ${session.policy.name}; ${session.windowLine}. /help lists what can be typed.\n`);
  if (agent.cutOff !== null) write(`the log's last line had been cut off after ${agent.cutOff.bytes} bytes; it was removed\n`);
  const lines = createInterface({ input, terminal: false });
  const leave = () => {
    if (agent.state().status === "idle") lines.close();
    else agent.cancel();
  };
  process.on("SIGINT", leave);
  const prompt = () => {
    const before = shown;
    const now = status();
    // The status of the last step stands right above already.
    if (isTerminal) write(now === before ? "› " : `${now}\n› `);
  };
  let running: Promise<void> = Promise.resolve();
  try {
    prompt();
    for await (const line of lines) {
      const asked = chatLine(line);
      if (asked.kind === "quit") break;
      // A message that is typed while the agent works is for the run that goes on.
      if (asked.kind === "message" && agent.state().status === "running" && isTerminal) {
        agent.steer(asked.text);
        continue;
      }
      const work = answer(asked, session, { write, status, io }).catch((error: unknown) => {
        // Whatever it is, the person is told in a line and the session goes on.
        const what = error instanceof Error ? error.message : String(error);
        write(`plimsoll: ${isPlimsollError(error) ? "" : "unexpected: "}${printable(what)}\n`);
      });
      running = work.then(prompt);
      if (!isTerminal || asked.kind !== "message") await running;
    }
    await running;
  } finally {
    process.removeListener("SIGINT", leave);
    lines.close();
    await session.close();
  }
  write(`\ngo on with: plimsoll chat --resume ${agent.sessionId}\n`);
  return EXIT_OK;
}

interface ChatOutput {
  readonly write: (text: string) => void;
  readonly status: () => string;
  readonly io: CliIo;
}

async function answer(asked: ChatLine, session: OpenSession, { write, status, io }: ChatOutput): Promise<void> {
  const { agent, policy } = session;
  switch (asked.kind) {
    case "message": {
      const { reason, error } = await agent.submit(asked.text);
      if (error !== null) write(`plimsoll: ${printable(error.message)}\n`);
      if (reason !== "done") write(`(${reason})\n`);
      break;
    }
    case "compact": {
      const keep = asked.keepTokens === null ? null : { tokens: asked.keepTokens };
      write(`${compactAnswer(await agent.compact({ keep, focus: asked.focus }))}${status()}\n`);
      break;
    }
    case "undo":
      await agent.undo();
      write(`The newest compaction is undone.\n${status()}\n`);
      break;
    case "context":
      write(`${contextTable(agent.context(), session)}\n${status()}\n`);
      break;
    case "model":
      if (asked.argument === null) write(`${printable(agent.state().modelId)}\n`);
      else {
        const { model, windowLine } = await session.modelNamed(asked.argument);
        await agent.switchModel(model);
        write(`${printable(model.modelId)}; ${windowLine}\n`);
      }
      break;
    case "policy":
      write(policyYaml({ policy, originOf: () => session.config.policy.source }));
      break;
    case "export": {
      const path = resolve(io.cwd, asked.argument ?? `${agent.sessionId}-context.json`);
      writeFileSync(path, `${JSON.stringify(agent.context(), null, 2)}\n`);
      write(`Wrote ${printable(path)}.\n`);
      break;
    }
    case "help":
      write(`${CHAT_HELP}\n`);
      break;
    case "wrong":
      write(`${printable(asked.why)}\n`);
      break;
    case "quit":
    case "empty":
      break;
    default:
      asked satisfies never;
  }
}

/** What a compaction by hand came to, where no event tells it. */
function compactAnswer(outcome: FitOutcome): string {
  return outcome.kind === "unchanged" ? "There is nothing to compact.\n" : "";
}

/** Shows words as they come and everything else as lines of their own. */
function createRenderer(write: (text: string) => void, status: () => string): (event: AgentEvent) => void {
  let isInWords = false;
  const breakLine = () => {
    if (isInWords) write("\n");
    isInWords = false;
  };
  return (event) => {
    if (event.type === "text-delta") {
      write(printableLines(event.text));
      isInWords = true;
      return;
    }
    const line = eventLine(event);
    if (line !== null) {
      breakLine();
      write(`${line}\n`);
    }
    if (event.type === "usage-update") {
      breakLine();
      write(`${status()}\n`);
    }
  };
}
