import { isPlimsollError } from "@plimsoll/core";
import { Command, CommanderError } from "commander";
import { addChatCommand } from "./chat/chat-command.ts";
import { addBenchCommand } from "./command/bench-command.ts";
import { addCalibrateCommand } from "./command/calibrate-command.ts";
import { addDemoCommand } from "./command/demo-command.ts";
import { addPolicyCommand } from "./command/policy-command.ts";
import { addSimulateCommand } from "./command/simulate-command.ts";
import { addTuneCommand } from "./command/tune-command.ts";
import { addValidateCommand } from "./command/validate-command.ts";
import { addCompactCommand } from "./compact/compact-command.ts";
import { addConfigCommand } from "./config/config-command.ts";
import { addInitCommand } from "./init/init-command.ts";
import { addInspectCommand } from "./inspect/inspect-command.ts";
import type { CliIo } from "./io.ts";
import { EXIT_FAILED, EXIT_OK, EXIT_USAGE, plimsollVersion } from "./io.ts";
import { addModelsCommand } from "./models/models-command.ts";
import { addRunCommand } from "./run/run-command.ts";
import { addServeCommand } from "./serve/serve-command.ts";
import { printable } from "./terminal/printable.ts";
import { addUndoCommand } from "./undo/undo-command.ts";

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

/** Every command, in the order of the help. A further one is a file and a line here. */
const COMMANDS: readonly ((program: Command, io: CliIo, onExit: (exitCode: number) => void) => void)[] = [
  addBenchCommand,
  addCalibrateCommand,
  addValidateCommand,
  addDemoCommand,
  addTuneCommand,
  addPolicyCommand,
  addSimulateCommand,
  addChatCommand,
  addRunCommand,
  addServeCommand,
  addInspectCommand,
  addCompactCommand,
  addUndoCommand,
  addModelsCommand,
  addConfigCommand,
  addInitCommand,
];

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
  for (const add of COMMANDS) add(program, io, onExit);
  return program;
}

function lineOf(error: unknown): string {
  if (isPlimsollError(error)) return error.message;
  return `unexpected: ${error instanceof Error ? error.message : String(error)}; please report this with the command that led to it`;
}
