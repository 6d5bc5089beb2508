import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/internal";
import type { ArrivingResult, Rewriter } from "./rewriter.ts";

/** A rewriter that is a program, and the end of that program. */
export interface CommandRewriter extends Rewriter {
  /** Ends it; nothing is asked of it afterwards. */
  close(): Promise<void>;
}

/** The name of a command among rewriters. */
export const COMMAND_REWRITER = "command";

/**
 * A command that reads one JSON object a line (`toolName`, `argumentsJson`, `isError`, `text`) and writes one a line, in the same order, with the `text`
 * that takes its place. It is run by the shell, since a person names it as they would type it; what tools gave goes to its standard input and
 * nowhere else. It starts when it is first asked.
 *
 * `rewrite` rejects with `bad-input` if it ends early or writes something else.
 */
export function createCommandRewriter(command: string): CommandRewriter {
  let running: Running | null = null;
  return {
    name: COMMAND_REWRITER,
    says: "a command of the person's own",
    rewrite: (result) => {
      running ??= start(command);
      return running.ask(result);
    },
    close: async () => {
      await running?.end();
      running = null;
    },
  };
}

interface Running {
  readonly ask: (result: ArrivingResult) => Promise<string>;
  readonly end: () => Promise<void>;
}

interface Waiting {
  readonly resolve: (text: string) => void;
  readonly reject: (error: unknown) => void;
}

function start(command: string): Running {
  const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"] });
  const waiting: Waiting[] = [];
  let failure: PlimsollError | null = null;
  const fail = (why: string) => {
    failure ??= new PlimsollError("bad-input", `the rewriter's command ${why}: ${command}`);
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  const closed = new Promise<void>((resolve) => {
    child.once("close", (exitCode) => {
      fail(`ended with ${exitCode ?? "a signal"}`);
      resolve();
    });
  });
  child.on("error", (error) => fail(`cannot be started (${error.message})`));
  // A program that has ended is told by its end; what was still written to it goes nowhere.
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout, crlfDelay: Infinity }).on("line", (line) => {
    const text = textIn(line);
    if (text === null) fail("wrote a line that is no JSON object with a text");
    else waiting.shift()?.resolve(text);
  });
  return {
    ask: (result) =>
      new Promise<string>((resolve, reject) => {
        if (failure !== null) {
          reject(failure);
          return;
        }
        waiting.push({ resolve, reject });
        child.stdin.write(`${JSON.stringify(result)}\n`);
      }),
    end: async () => {
      child.stdin.end();
      child.kill();
      await closed;
    },
  };
}

function textIn(line: string): string | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && typeof value.text === "string" ? value.text : null;
  } catch {
    // No JSON: the same as a wrong object.
    return null;
  }
}
