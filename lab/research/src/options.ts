import process from "node:process";
import { type ParseArgsConfig, parseArgs } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** The options of a research command. `--help` prints the usage and ends the process; a mistake prints one line and ends it with exit code 2. */
export function optionsOf<const Given extends Options>(
  usage: string,
  options: Given,
): ReturnType<typeof parseArgs<{ options: Given }>>["values"] {
  if (process.argv.slice(2).some((argument) => argument === "--help" || argument === "-h")) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/** A number above 0 that was asked for. */
export function numberAbove0(name: string, text: string): number {
  const value = Number(text);
  return value > 0 && Number.isFinite(value) ? value : refuse(`--${name} is a number above 0, not "${text}"`);
}

/** Ends the process over a mistake in the options. */
function refuse(what: string): never {
  process.stderr.write(`${what} (--help tells what there is)\n`);
  process.exit(2);
}
