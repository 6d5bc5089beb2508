import type { CliIo } from "@plimsoll/bench/terminal";
import { Command, CommanderError } from "commander";
import { COMMANDS } from "../src/commands.ts";
import { commandLine } from "../src/main.ts";

/** Checks a command line of plimsoll's (without the program's name) by the program's own definitions; `null` if it would be run. Nothing is. */
export async function lineProblem(given: readonly string[], io: CliIo): Promise<string | null> {
  const args = commandLine(given);
  const [name = ""] = args;
  const entry = COMMANDS.find((each) => each.name === name);
  if (entry === undefined) return name === "--version" ? null : `plimsoll has no command ${name}`;
  const define = await entry.load();
  const program = new Command("plimsoll");
  define(program.command(entry.name), io, () => undefined);
  for (const command of withSubcommands(program)) {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    if (command !== program) command.action(() => undefined);
  }
  try {
    await program.parseAsync([...args], { from: "user" });
    return null;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? null : error.message;
  }
}

function withSubcommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withSubcommands)];
}
