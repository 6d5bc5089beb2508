import { pathToFileURL } from "node:url";
import { commandFile, runNode } from "./tool.mjs";

/**
 * Builds every package whose sources changed. Standard output stays free for the program that runs next: what a failed build
 * printed goes to standard error.
 * @returns {Promise<number>} the exit code
 */
export async function buildPackages() {
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
  return code;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.exitCode = await buildPackages();
  if (process.exitCode === 0) process.stderr.write("built\n");
}
