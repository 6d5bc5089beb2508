import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { removeLeftFiles } from "../packages/cli/bundle/left-files.mjs";
import { installed } from "./installed.mjs";
import { commandFile, root, runNode } from "./tool.mjs";

/** Turbo leaves research out unless it is run itself: nothing that is shipped needs it. */
const SHIPPED = ["--filter=!@plimsoll/research"];

/**
 * Builds every package whose sources changed. Standard output stays free for the program that runs next: the output of a failed build goes to
 * standard error.
 * @param {readonly string[]} filters
 * @returns {Promise<number>} the exit code
 */
export async function buildPackages(filters = SHIPPED) {
  installed("all");
  const args = [
    commandFile("turbo", "turbo"),
    "run",
    "build",
    "--output-logs=errors-only",
    "--log-order=grouped",
    "--ui=stream",
    ...filters,
  ];
  const { code, output } = await runNode(args, { output: "hold" });
  if (code !== 0) process.stderr.write(output);
  // A build that turbo takes from its cache is put over the old files.
  else removeLeftFiles(join(root, "packages/cli"));
  return code;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = await buildPackages(process.argv.includes("--research") ? [] : SHIPPED);
  if (process.exitCode === 0) process.stderr.write("built\n");
}
