import { isPlimsollError } from "@plimsoll/core";
import { Command, CommanderError } from "commander";
import { addBenchCommand } from "./command/bench-command.ts";
import { addCalibrateCommand } from "./command/calibrate-command.ts";
import { addDemoCommand } from "./command/demo-command.ts";
import { addPolicyCommand } from "./command/policy-command.ts";
import { addSimulateCommand } from "./command/simulate-command.ts";
import { addTuneCommand } from "./command/tune-command.ts";
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE } from "./exit-code.ts";
import type { CliIo } from "./io.ts";
import { addAgentCommands } from "./run/agent-commands.ts";
import { printable } from "./terminal/printable.ts";
import { plimsollVersion } from "./version.ts";

/**
 * Runs one command line (without the interpreter and the script) and resolves to the process's exit code. Everything that a
 * command says goes to `io`; no error escapes, and each is one line.
 */
export async function main(argv: readonly string[], io: CliIo): Promise<number> {
  const outcome = { exitCode: EXIT_OK };
  try {
    await createProgram(io, (exitCode) => {
      outcome.exitCode = exitCode;
    }).parseAsync([...argv], { from: "user" });
    return outcome.exitCode;
  } catch (error) {
    // Commander has printed its line already; help and version end this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    io.stderr.write(`plimsoll: ${printable(lineOf(error))}\n`);
    return isPlimsollError(error) ? EXIT_USAGE : EXIT_FAILED;
  }
}

function createProgram(io: CliIo, onExit: (exitCode: number) => void): Command {
  const program = new Command("plimsoll")
    .description("Replays recorded agent sessions under compaction policies and shows what each costs and loses.")
    .version(plimsollVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "say what there is")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(`plimsoll: ${text.replace(/^error: /, "")}`),
    });
  addBenchCommand(program, io, onExit);
  addCalibrateCommand(program, io, onExit);
  addDemoCommand(program, io, onExit);
  addTuneCommand(program, io, onExit);
  addPolicyCommand(program, io, onExit);
  addSimulateCommand(program, io, onExit);
  addAgentCommands(program, io, onExit);
  return program;
}

function lineOf(error: unknown): string {
  if (isPlimsollError(error)) return error.message;
  return `unexpected: ${error instanceof Error ? error.message : String(error)}; please report this with the command that led to it`;
}
