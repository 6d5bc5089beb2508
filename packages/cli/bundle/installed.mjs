import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { PUBLISHED } from "../../../scripts/publish-check.mjs";
import { root as ROOT } from "../../../scripts/tool.mjs";

/** How a program ended. @typedef {{ readonly code: number, readonly stdout: string, readonly stderr: string }} Ended */

/**
 * Runs a program to its end.
 * @param {string} program @param {readonly string[]} args @param {{ readonly cwd: string, readonly env?: NodeJS.ProcessEnv }} options
 * @returns {Ended}
 */
export function runProgram(program, args, { cwd, env = process.env }) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: "utf8", maxBuffer: 2 ** 28 });
  if (error !== undefined) throw error;
  return { code: status ?? 1, stdout, stderr };
}

/** Runs pnpm: the one that runs this, if it is one. @param {readonly string[]} args @param {string} cwd */
function runPnpm(args, cwd) {
  const running = process.env.npm_execpath ?? "";
  const [program = "", ...first] = /pnpm[^/\\]*$/.test(running)
    ? [...(/\.[cm]?js$/.test(running) ? [process.execPath] : []), running]
    : ["npx", "-y", "pnpm@12"];
  const ended = runProgram(program, [...first, ...args], { cwd });
  if (ended.code !== 0) throw new Error(ended.stdout + ended.stderr);
  return ended;
}

/** Builds the packages and packs them as they would be published. Returns their files, in the order of PUBLISHED. */
export function packAll() {
  const built = runProgram(process.execPath, [join(ROOT, "scripts/build.mjs")], { cwd: ROOT });
  if (built.code !== 0) throw new Error(built.stderr);
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-packs-"));
  return PUBLISHED.map((from) => {
    const { stdout } = runPnpm(["pack", "--json", "--pack-destination", folder], join(ROOT, from));
    /** @type {{ readonly filename: string }} */
    const { filename } = JSON.parse(stdout);
    return join(folder, filename.replace(/^.*[/\\]/, ""));
  });
}

/** A folder with nothing but a manifest in it, and an environment whose home is empty. @returns {{ readonly folder: string, readonly env: NodeJS.ProcessEnv }} */
export function emptyPlace() {
  const place = mkdtempSync(join(tmpdir(), "plimsoll-installed-"));
  const [folder, home] = [join(place, "project"), join(place, "home")];
  for (const made of [folder, home]) mkdirSync(made);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const kept = ["PATH", "SystemRoot", "TEMP", "TMP", "PATHEXT", "npm_config_registry", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY"];
  const env = Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  return { folder, env: { ...env, HOME: home, USERPROFILE: home } };
}
