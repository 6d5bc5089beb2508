import process from "node:process";
import { PlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import type { CliIo } from "../io.ts";
import { EXIT_OK } from "../io.ts";
import { openSession } from "../run/open-session.ts";
import { type SessionOptions, withSessionOptions } from "../run/session-options.ts";
import { serveConnection } from "./serve-connection.ts";

interface ServeOptions extends SessionOptions {
  readonly stdio?: boolean;
}

/** Adds `plimsoll serve --stdio`: a session for editors and other programs. */
export function defineServeCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  withSessionOptions(command)
    .option("--stdio", "over standard input and output")
    .action(async ({ stdio, ...options }: ServeOptions) => {
      if (stdio !== true) throw new PlimsollError("bad-input", "say --stdio: there is no other transport");
      const ended = new AbortController();
      const onSignal = () => ended.abort();
      for (const signal of ENDING_SIGNALS) process.once(signal, onSignal);
      const session = await openSession(options, { io, environment: process.env });
      // The output belongs to the protocol.
      for (const notice of session.notices) io.stderr.write(`${notice}\n`);
      try {
        await serveConnection(session, { input: process.stdin, output: process.stdout, ended: ended.signal });
      } finally {
        for (const signal of ENDING_SIGNALS) process.removeListener(signal, onSignal);
        await session.close();
        // An input that is still open would keep the process alive.
        process.stdin.destroy();
      }
      onExit(EXIT_OK);
    });
}

const ENDING_SIGNALS = ["SIGINT", "SIGTERM"] as const;
