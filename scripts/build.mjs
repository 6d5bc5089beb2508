import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { removeLeftFiles } from "../packages/cli/bundle/left-files.mjs";
import { installed } from "./installed.mjs";
import { commandFile, root, runNode } from "./tool.mjs";

/**
 * Builds every package whose sources changed. Standard output stays free for the program that runs next: the output of a failed build goes to
 * standard error.
 * @returns {Promise<number>} the exit code
 */
export async function buildPackages() {
  installed("all");
  const args = [
    commandFile("turbo", "turbo"),
    "run",
    "build",
    "--output-logs=errors-only",
    "--log-order=grouped",
    "--ui=stream",
  ];
  const { code, output } = await runNode(args, { output: "hold" });
  if (code !== 0) process.stderr.write(output);
  // A build that turbo takes from its cache is put over the old files.
  else removeLeftFiles(join(root, "packages/cli"));
  return code;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = await buildPackages();
  if (process.exitCode === 0) process.stderr.write("built\n");
}
