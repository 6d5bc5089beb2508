import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { PlimsollError } from "@plimsoll/core";
import { Argument, type Command } from "commander";
import type { CliIo } from "../io.ts";
import { EXIT_FAILED, EXIT_OK } from "../io.ts";
import { lineFor, printable } from "../terminal/printable.ts";
import { answerHook, answerStatusLine } from "./answer-hook.ts";

/** The plugin for Claude Code whose mod compacts: it stands beside the program. Throws `bad-input` where it was not built. */
function pluginFolder(): string {
  const folder = fileURLToPath(new URL("claude-code", import.meta.url));
  if (existsSync(folder)) return folder;
  throw new PlimsollError("bad-input", "the plugin is not built: run pnpm build, or pnpm plimsoll hook plugin");
}

/** Adds `plimsoll hook`: what agents start before and after a compaction, and for their status line. */
export function defineHookCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .addArgument(new Argument("[what]", "what is asked for, if the payload does not tell").choices(["status-line", "plugin"]))
    .action(async (what: "status-line" | "plugin" | undefined) => {
      if (what === "plugin") {
        io.stdout.write(`${pluginFolder()}\n`);
        return onExit(EXIT_OK);
      }
      const payload = await text(process.stdin);
      try {
        io.stdout.write(what === "status-line" ? answerStatusLine(payload) : await answerHook(payload, io));
        onExit(EXIT_OK);
      } catch (error) {
        // Never the code 2, by which a hook stops its agent: a compaction goes on without us.
        io.stderr.write(
          lineFor(io.stderr, `plimsoll hook: ${printable(error instanceof Error ? error.message : String(error))}`),
        );
        onExit(EXIT_FAILED);
      }
    });
}
