import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type CliIo, EXIT_FAILED, EXIT_OK, EXIT_USAGE, messageOf, printable, tell } from "@plimsoll/bench/terminal";
import { isPlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import { COMMANDS } from "./commands.ts";
import { plimsollVersion } from "./io.ts";

/** As the only argument they are answered before anything is loaded. */
const VERSION_OPTIONS: readonly (string | undefined)[] = ["-V", "--version"];

/** The command line with its command: without one, or with options that are not the program's own, it is `advise`. */
export function commandLine(given: readonly string[]): readonly string[] {
  const [first = ""] = given;
  const isAdvice = given.length === 0 || (first.startsWith("-") && !isHelp(first) && !VERSION_OPTIONS.includes(first));
  return isAdvice ? ["advise", ...given] : given;
}

const isHelp = (word: string): boolean => word === "-h" || word === "--help";

/**
 * Runs one command line (without the interpreter and the script) and resolves to the process's exit code. Everything that a
 * command says goes to the streams; no error escapes, and each mistake is one line. Only the command that is called is loaded.
 */
export async function main(given: readonly string[], streams: CliIo): Promise<number> {
  const argv = commandLine(given);
  const io = { ...streams, stdout: guarded(streams.stdout) };
  if (VERSION_OPTIONS.includes(argv[0])) {
    io.stdout.write(`${plimsollVersion()}\n`);
    return EXIT_OK;
  }
  const helpText = writtenHelp(argv, io);
  if (helpText !== null) {
    io.stdout.write(helpText);
    return EXIT_OK;
  }
  const { Command, CommanderError } = await import("commander");
  const outcome = { exitCode: EXIT_OK };
  const isKept = COMMANDS.some((entry) => entry.isKept === true && isCalled(entry, argv));
  const stopListening = isKept ? (await import("./interrupt.ts")).endOnInterrupt(argv, io) : () => undefined;
  try {
    const program = describedProgram(new Command("plimsoll"), io);
    for (const entry of COMMANDS) {
      const command = program.command(entry.name).description(entry.description);
      if (!isCalled(entry, argv)) continue;
      const define = await entry.load();
      define(command.addHelpText("after", helpEnd(entry)), io, (exitCode) => {
        outcome.exitCode = exitCode;
      });
    }
    await program.parseAsync([...argv], { from: "user" });
    return outcome.exitCode;
  } catch (error) {
    // Commander has printed its line already; help and version end this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_OK : EXIT_USAGE;
    const told = await placed(error, argv, io);
    tell(io, ...linesOf(told));
    return isPlimsollError(told) ? EXIT_USAGE : EXIT_FAILED;
  } finally {
    stopListening();
  }
}

/** Line ends, tabs, and the beginning of colours and of a bar: a command's own, which outside text has lost before. */
const OWN_CONTROLS = "\n\t\r\u001b";

/** All that could be unprintable: all but the printable signs of ASCII. */
const NOT_ASCII = /[^\u0020-\u007e]/gu;

/** The output, with all else that could steer a terminal written as JSON escapes it: programs read the same data. */
function guarded(output: CliIo["stdout"]): CliIo["stdout"] {
  const escapes = (found: string) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  const shown = (found: string) => (OWN_CONTROLS.includes(found) || printable(found) === found ? found : escapes(found));
  return {
    write: (text) => output.write(text.replace(NOT_ASCII, shown)),
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      return output.columns;
    },
  };
}

/** Writes the help of the program and of each command for a terminal of {@link COLUMNS}, by name: an installed program has them in a file, since a command's help loads the command. */
export async function allHelp(streams: CliIo): Promise<{ readonly [name: string]: string }> {
  const texts: { [name: string]: string } = {};
  for (const name of ["", ...COMMANDS.map((entry) => entry.name)]) {
    const write = (text: string) => {
      texts[name] = `${texts[name] ?? ""}${text}`;
    };
    await main(["help", ...(name === "" ? [] : [name])], { ...streams, stdout: { write } });
  }
  return texts;
}

/** The help that a command line asks for and nothing else, as the installed program has it; `null` for any other, and for a narrow terminal. */
function writtenHelp(argv: readonly string[], { stdout }: CliIo): string | null {
  const [first = "", second = ""] = argv;
  const isAsked =
    argv.length === 1 ? first === "help" || isHelp(first) : argv.length === 2 && (first === "help" || isHelp(second));
  const file = new URL("help.json", import.meta.url);
  if (!isAsked || (stdout.columns ?? COLUMNS) < COLUMNS || !existsSync(file)) return null;
  const text: unknown = JSON.parse(readFileSync(file, "utf8"))[argv.length === 1 ? "" : first === "help" ? second : first];
  return typeof text === "string" ? text : null;
}

/** An error that a person's own module threw, with the place in it; any other as it is. */
async function placed(error: unknown, argv: readonly string[], { cwd }: Pick<CliIo, "cwd">): Promise<unknown> {
  const files = argv.flatMap((each, at) => (argv[at - 1] === "--with" ? [each] : (/^--with=(.+)$/.exec(each)?.[1] ?? [])));
  if (files.length === 0) return error;
  const { placedError } = await import("@plimsoll/bench/extend");
  const modules = files.map((file) => pathToFileURL(resolve(cwd, file)).href);
  return placedError(error, modules);
}

type CommandEntry = (typeof COMMANDS)[number];

/** True for the command that is named first, or whose help is asked for. */
function isCalled({ name }: CommandEntry, [first, second]: readonly string[]): boolean {
  return first === name || (first === "help" && second === name);
}

function helpEnd({ note, examples }: CommandEntry): string {
  return ["", ...(note === undefined ? [] : [note]), "Examples:", ...examples.flatMap((line) => exampleLines(line))].join("\n");
}

const COLUMNS = 80;

/** An example as a shell takes it: words beyond a terminal's width go on behind a backslash. */
function exampleLines(line: string): readonly string[] {
  const lines: string[] = ["  plimsoll"];
  for (const word of line.split(/ (?=-|[^ ]*$)/)) {
    const last = lines.at(-1) ?? "";
    if (last.length + word.length + 3 <= COLUMNS) lines.splice(-1, 1, `${last} ${word}`);
    else lines.splice(-1, 1, `${last} \\`, `    ${word}`);
  }
  return lines;
}

function describedProgram(program: Command, io: CliIo): Command {
  return program
    .description(
      "Replays recorded agent sessions under compaction policies and shows the costs and losses of each. Without a command it runs advise.",
    )
    .option("-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .exitOverride()
    .configureOutput({
      getOutHelpWidth: () => io.stdout.columns ?? COLUMNS,
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(`plimsoll: ${text.replace(/^error: /, "")}`),
    });
}

/** Words the error: a line, or one for each mistake in the arguments. */
function linesOf(error: unknown): readonly string[] {
  if (!isPlimsollError(error)) return [`unexpected: ${messageOf(error)}; please report this with the command that led to it`];
  const { problems } = error.details;
  return Array.isArray(problems) && problems.length > 1 ? problems.map(String) : [error.message];
}
