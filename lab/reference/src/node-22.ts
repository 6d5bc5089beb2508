import { spawnSync } from "node:child_process";
import process from "node:process";
import { install, installedNode22, installNode22 } from "./install.ts";
import type { ProgramPackage } from "./packages.ts";

/**
 * Installs the programs into the cache, and runs this command again on Node 22 if one of them needs it and this Node is older. True if there is
 * nothing left to do here: the command ran there. A program that cannot be installed is named on standard error and left out.
 */
export function ranOnNode22(programs: readonly ProgramPackage[]): boolean {
  for (const program of programs) {
    try {
      install(program);
    } catch (error) {
      process.stderr.write(`${program.name}@${program.version} is left out: ${firstLine(error)}\n`);
    }
  }
  if (Number(process.versions.node.split(".")[0]) >= 22 || !programs.some(({ needsNode22 }) => needsNode22)) return false;
  if (process.platform !== "linux" || process.arch !== "x64") return false;
  try {
    installNode22();
  } catch (error) {
    process.stderr.write(`Node 22 is not to be had, and what needs it is left out: ${firstLine(error)}\n`);
  }
  const node = installedNode22();
  if (node === null) return false;
  const { status } = spawnSync(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: "inherit" });
  process.exitCode = status ?? 1;
  return true;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n")[0] ?? "";
}
