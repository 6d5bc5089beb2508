import { resolve } from "node:path";
import process from "node:process";
import { importFile } from "@plimsoll/bench";
import { formatNumberOf } from "@plimsoll/bench/extend";
import {
  addExtensionOption,
  beginningOf,
  type CliIo,
  COLUMNS,
  EXIT_OK,
  type ExtensionOptions,
  openExtensions,
  printable,
  tableColumns,
} from "@plimsoll/bench/terminal";
import { PlimsollError, type SessionSummary } from "@plimsoll/core";
import { writeWholeFile } from "@plimsoll/stores";
import type { Command } from "commander";
import { readConfig } from "../config/read-config.ts";
import { sessionFile } from "../input/session-file.ts";
import { sessionStoreOf } from "../run/stored-sessions.ts";
import { inspectHtml } from "./inspect-html.ts";
import { inspectText } from "./inspect-text.ts";

interface InspectOptions extends ExtensionOptions {
  readonly html?: string;
}

/** Adds `plimsoll inspect`: the story of a session in any format that can be read, or a list of the sessions here. */
export function defineInspectCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .argument("[session]", "a session log, or the id of a session in this folder; without it, all sessions here")
    .option("--html <file>", "write a page as well")
    .action(async (session: string | undefined, { html, ...options }: InspectOptions) => {
      if (session === undefined) {
        if (html !== undefined || options.with !== undefined)
          throw new PlimsollError("bad-input", "--html and --with are for a session: name its log");
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
      onExit(EXIT_OK);
    });
  addExtensionOption(command);
}

/** So many are listed: about a screen (chosen). */
const LISTED_SESSIONS = 15;

/** The sessions of this folder by what was said first, the newest first. */
export async function sessionList({ cwd, homeFolder, environment = process.env }: CliIo): Promise<string> {
  const config = readConfig({ cwd, homeFolder, environment, flags: {} });
  return sessionsText(await sessionStoreOf(cwd, config).list(), LISTED_SESSIONS);
}

/** Two lines a session: when it was last written to with its id, and what was said first. Sub-agents' are counted alone. */
export function sessionsText(stored: readonly SessionSummary[], most: number): string {
  const own = stored.filter(({ parentId }) => parentId === null);
  const [newest] = own;
  if (newest === undefined) return "There is no session here yet: plimsoll chat begins one.";
  const lines = own
    .slice(0, most)
    .flatMap(({ sessionId, updatedMs, title }) => [
      `${timeOf(updatedMs)}  ${printable(sessionId)}`,
      beginningOf(`  ${(title ?? "(nothing was said)").replace(/\s+/g, " ").trim()}`, COLUMNS),
    ]);
  const more = own.length > most ? [`and ${own.length - most} older`] : [];
  const below = stored.length - own.length;
  const parts = below === 0 ? [] : [`and ${formatNumberOf(below, "session")} of sub-agents`];
  return [...lines, ...more, ...parts, `go on with: plimsoll chat --resume ${printable(newest.sessionId)}`].join("\n");
}

/** Minutes are enough to tell sessions apart; in UTC, as ids are. */
function timeOf(timeMs: number | null): string {
  return timeMs === null
    ? "                "
    : new Date(timeMs).toISOString().slice(0, "2026-01-31T12:00".length).replace("T", " ");
}
