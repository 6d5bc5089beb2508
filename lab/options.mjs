import process from "node:process";
import { parseArgs } from "node:util";

/**
 * A command's options. `--help` prints the usage and ends the process; a mistake prints one line and ends it with exit code 2.
 * @template {import("node:util").ParseArgsConfig} Config
 * @param {string} usage printed by `--help`
 * @param {Config} config
 * @returns {ReturnType<typeof parseArgs<Config>>}
 */
export function optionsOf(usage, config) {
  if (process.argv.slice(2).some((argument) => argument === "--help" || argument === "-h")) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Ends the process over a mistake in the options.
 * @param {string} what one line
 * @returns {never}
 */
export function refuse(what) {
  console.error(`${what} (--help tells what there is)`);
  process.exit(2);
}
