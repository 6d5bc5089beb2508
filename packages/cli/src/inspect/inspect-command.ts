import { resolve } from "node:path";
import { importFile } from "@plimsoll/bench";
import { LOCATED_AGENTS } from "@plimsoll/bench/extend";
import {
  addExtensionOption,
  type CliIo,
  EXIT_OK,
  type ExtensionOptions,
  newestLog,
  openExtensions,
  printable,
  programOf,
  say,
  tableColumns,
} from "@plimsoll/bench/terminal";
import { writeWholeFile } from "@plimsoll/stores";
import type { Command } from "commander";
import { sessionFileOr } from "../input/session-file.ts";
import { inspectHtml } from "./inspect-html.ts";
import { inspectJson, inspectText } from "./inspect-text.ts";
import { inspectedSessions } from "./session-facts.ts";
import { shownTranscript } from "./shown-entries.ts";

interface InspectOptions extends ExtensionOptions {
  readonly from?: string;
  readonly full?: boolean;
  readonly html?: string;
  readonly json?: string;
}

/** Adds `plimsoll inspect`: the story of a session in any format that can be read. */
export function defineInspectCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .argument("[session]", "a log, a session's id, or an agent for its newest; without it, the newest of this folder")
    .option("--from <agent>", `the newest log of an agent in its usual place (${LOCATED_AGENTS.join(", ")})`)
    .option("--full", "print the losses of each compaction, not only of the newest")
    .option("--html <file>", "write a page as well")
    .option("--json <file>", "write the facts, and a list of unread parts, as JSON")
    .action(async (session: string | undefined, { from, full = false, html, json, ...options }: InspectOptions) => {
      const { path, displayName, agent } = await sessionFileOr(session, from, io);
      const imported = await importFile(path, displayName, (await openExtensions(options, io)).importers);
      const sessions = await inspectedSessions(imported.map(shownTranscript));
      for (const session of sessions) io.stdout.write(`${inspectText(session, tableColumns(io.stdout), full)}\n`);
      const isCompacted = sessions.some(({ story }) => story.compactions.length > 0);
      if (agent !== undefined && !isCompacted) await sayNewestCompacted(agent, io);
      const write = (file: string, text: string) => {
        writeWholeFile(resolve(io.cwd, file), text);
        io.stdout.write(`Wrote ${printable(file)}.\n`);
      };
      if (html !== undefined) write(html, inspectHtml(sessions));
      if (json !== undefined) write(json, `${JSON.stringify(inspectJson(sessions), null, 2)}\n`);
      onExit(EXIT_OK);
    });
  addExtensionOption(command);
}

/** Names the newest log of an agent that has a compaction, for a person who opened one without. */
async function sayNewestCompacted(agent: string, io: CliIo): Promise<void> {
  const accepts = async (path: string) => {
    const read = await importFile(path, path).catch(() => []);
    return read.some(({ entries }) => entries.some(({ type }) => type === "compaction"));
  };
  const log = LOCATED_AGENTS.some((each) => each === agent) ? await newestLog(agent, io, { accepts }) : null;
  if (log !== null) say(io.stdout, `Not compacted. The newest of ${agent} that was: ${programOf(io)} inspect ${log.shortId}`);
}
