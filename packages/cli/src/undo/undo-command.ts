import { basename, dirname, resolve } from "node:path";
import process from "node:process";
import { createContextManager, createDigest, NONE_POLICY } from "@plimsoll/core";
import { createFileSessionStore } from "@plimsoll/core/node";
import type { Command } from "commander";
import { readConfig } from "../config/read-config.ts";
import { EXIT_OK } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { sessionStoreOf } from "../run/open-session.ts";

/** Adds `plimsoll undo`: appends the revert of a session's newest compaction. */
export function addUndoCommand(program: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  program
    .command("undo")
    .description("undo the newest compaction of a session: the context from before is back, with what came since")
    .argument("<session>", "a session's id, or its log file")
    .action(async (session: string) => {
      const { cwd, homeFolder } = io;
      const isFile = session.endsWith(".jsonl");
      const path = resolve(cwd, session);
      const store = isFile
        ? createFileSessionStore({ folder: dirname(path) })
        : sessionStoreOf(cwd, readConfig({ cwd, homeFolder, environment: process.env, flags: {} }));
      const { writer, entries } = await store.open(isFile ? basename(path, ".jsonl") : session);
      try {
        const manager = createContextManager({ policy: NONE_POLICY, summarizer: createDigest(), entries });
        const before = manager.view().messages.size;
        manager.revert(io.nowMs());
        await writer.append(manager.entries().slice(entries.length));
        io.stdout.write(`Undone: ${before} messages are ${manager.view().messages.size} again.\n`);
      } finally {
        await writer.close();
      }
      onExit(EXIT_OK);
    });
}
