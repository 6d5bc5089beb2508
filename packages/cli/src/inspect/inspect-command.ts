import { resolve } from "node:path";
import { importFile } from "@plimsoll/bench";
import { atifTrajectories } from "@plimsoll/bench/internal";
import { PlimsollError } from "@plimsoll/core";
import { writeWholeFile } from "@plimsoll/core/node";
import type { Command } from "commander";
import { sessionFile } from "../input/session-file.ts";
import type { CliIo } from "../io.ts";
import { EXIT_OK } from "../io.ts";
import { addExtensionOption, type ExtensionOptions, openExtensions } from "../option/replay-options.ts";
import { printable, tableColumns } from "../terminal/printable.ts";
import { inspectHtml } from "./inspect-html.ts";
import { inspectText } from "./inspect-text.ts";
import { sessionList } from "./session-list.ts";

interface InspectOptions extends ExtensionOptions {
  readonly html?: string;
  readonly atif?: string;
}

/** Adds `plimsoll inspect`: the story of a session in any format that can be read, or a list of the sessions here. */
export function defineInspectCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .argument("[session]", "a session log, or the id of a session in this folder; without it, all sessions here")
    .option("--html <file>", "write a page as well")
    .option("--atif <file>", "also write the session as a trajectory in ATIF; several are one on each line")
    .action(async (session: string | undefined, { html, atif, ...options }: InspectOptions) => {
      if (session === undefined) {
        if (html !== undefined || atif !== undefined || options.with !== undefined)
          throw new PlimsollError("bad-input", "--html, --atif and --with are for a session: name its log");
        io.stdout.write(`${await sessionList(io)}\n`);
        return onExit(EXIT_OK);
      }
      const { path, displayName } = sessionFile(session, io);
      const transcripts = await importFile(path, displayName, (await openExtensions(options, io)).importers);
      for (const transcript of transcripts) io.stdout.write(`${inspectText(transcript, tableColumns(io.stdout))}\n`);
      if (html !== undefined) {
        writeWholeFile(resolve(io.cwd, html), inspectHtml(transcripts));
        io.stdout.write(`Wrote ${printable(html)}.\n`);
      }
      if (atif !== undefined) {
        const lines = atifTrajectories(transcripts).map((trajectory) => `${JSON.stringify(trajectory)}\n`);
        writeWholeFile(resolve(io.cwd, atif), lines.join(""));
        io.stdout.write(`Wrote ${printable(atif)}.\n`);
      }
      onExit(EXIT_OK);
    });
  addExtensionOption(command);
}
