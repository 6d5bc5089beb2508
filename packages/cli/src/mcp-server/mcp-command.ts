import { importFile } from "@plimsoll/bench";
import { fileSource, type InputFile, LOCATED_AGENTS, readHead } from "@plimsoll/bench/extend";
import { PlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import { findLogs } from "../input/find-inputs.ts";
import { sessionFile } from "../input/session-file.ts";
import { type CliIo, EXIT_OK, plimsollVersion } from "../io.ts";
import { addExtensionOption, type ExtensionOptions, openExtensions } from "../option/replay-options.ts";
import { createSessionServer } from "./session-server.ts";

interface McpOptions extends ExtensionOptions {
  readonly from?: string;
}

/** Logs of an agent that are looked at for the folder that they are of; chosen. */
const LOGS_LOOKED_AT = 40;

/** The newest log of an agent that names this folder, as agents do in the first lines or in the path. */
export async function newestHere(agent: string, io: CliIo): Promise<InputFile> {
  const { files } = await findLogs({ agents: [agent], limit: String(LOGS_LOOKED_AT) }, io);
  const names = [io.cwd, io.cwd.replaceAll(/[^A-Za-z0-9]/g, "-")];
  for (const file of files) {
    const { text } = await readHead(fileSource(file.path, file.displayName));
    if (text.includes(JSON.stringify(names[0])) || names.some((name) => file.path.includes(`/${name}/`))) return file;
  }
  throw new PlimsollError("bad-input", `--from ${agent}: none of its newest logs is of ${io.cwd}`);
}

/** Adds `plimsoll mcp`: what a live session holds, for the agent that works in it, over standard input and output. */
export function defineMcpCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .argument("[session]", "a session log of any agent that can be read, or the id of a session of plimsoll's")
    .option("--from <agent>", `the newest log of an agent in this folder (${LOCATED_AGENTS.join(", ")})`)
    .action(async (session: string | undefined, options: McpOptions) => {
      const { importers } = await openExtensions(options, io);
      if ((session === undefined) === (options.from === undefined))
        throw new PlimsollError("bad-input", "give a session log, or --from AGENT for the newest one in this folder");
      const read = async () => {
        // Asked for anew: a new session, or a compaction that begins one, is another file.
        const { path, displayName } =
          session === undefined ? await newestHere(options.from ?? "", io) : sessionFile(session, io);
        // Of a file with sub-agents the session itself is asked for.
        const found = await importFile(path, displayName, importers);
        const main = found.find(({ parentName }) => parentName === null) ?? found[0];
        if (main === undefined) throw new PlimsollError("bad-session", `${displayName} holds no session`);
        return main;
      };
      // A log that cannot be read is told at once, not at the first question.
      await read();
      const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
      const server = await createSessionServer({ read, version: plimsollVersion() });
      const ended = new Promise<void>((resolve) => {
        server.server.onclose = resolve;
        process.stdin.once("end", resolve);
      });
      await server.connect(new StdioServerTransport());
      await ended;
      await server.close();
      onExit(EXIT_OK);
    });
  addExtensionOption(command);
}
