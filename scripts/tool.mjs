import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The workspace's root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const require = createRequire(import.meta.url);

/** No tool that is run from here reports home or looks for updates. */
const quietEnv = { TURBO_TELEMETRY_DISABLED: "1", TURBO_NO_UPDATE_NOTIFIER: "1", DO_NOT_TRACK: "1" };

/** @typedef {{ readonly code: number, readonly output: string }} Finished */

/**
 * The JavaScript file behind a dependency's command. Running it with node works in any shell and without a PATH.
 * @param {string} packageName
 * @param {string} command
 * @returns {string}
 */
export function commandFile(packageName, command) {
  const manifestFile = join(root, "node_modules", packageName, "package.json");
  const { bin } = JSON.parse(readFileSync(manifestFile, "utf8"));
  return require.resolve(join(dirname(manifestFile), typeof bin === "string" ? bin : bin[command]));
}

/**
 * Runs a node script to its end. "show" passes its output through; "hold" returns it, standard error included.
 * @param {readonly string[]} args
 * @param {{ readonly output: "show" | "hold", readonly cwd?: string }} options
 * @returns {Promise<Finished>}
 */
export function runNode(args, { output, cwd = root }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...quietEnv },
      stdio: output === "show" ? "inherit" : ["ignore", "pipe", "pipe"],
    });
    /** @type {Buffer[]} */
    const chunks = [];
    child.stdout?.on("data", (chunk) => chunks.push(chunk));
    child.stderr?.on("data", (chunk) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString("utf8") }));
  });
}
