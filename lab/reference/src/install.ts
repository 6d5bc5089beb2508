import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { called, NODE_22, type ProgramPackage } from "./packages.ts";

/** Where programs are kept: beside this package's sources, not in the repository. `PLIMSOLL_PROGRAMS` names another folder. */
export const PROGRAMS_FOLDER: string = process.env.PLIMSOLL_PROGRAMS ?? fileURLToPath(new URL("../.programs", import.meta.url));

function folderOf(program: Pick<ProgramPackage, "name" | "version">): string {
  return join(PROGRAMS_FOLDER, called(program).replaceAll(/[^\w.@-]+/g, "-"));
}

/** The address of the program's module; `null` if it is not installed. */
export function installedEntry(program: ProgramPackage): string | null {
  const file = join(folderOf(program), program.entry);
  return existsSync(file) ? pathToFileURL(file).href : null;
}

/** Node 22 in the cache; `null` if it is not installed. */
export function installedNode22(): string | null {
  const file = join(folderOf(NODE_22), NODE_22.entry);
  return existsSync(file) ? file : null;
}

/** True if this process is of a Node that the program runs on. */
export function canRun({ needsNode22 }: ProgramPackage): boolean {
  return !needsNode22 || Number(process.versions.node.split(".")[0]) >= 22;
}

/**
 * Brings a program into the cache with npm, which runs none of its scripts. A folder is there whole or not at all. Throws what npm says if
 * the registry cannot be asked.
 */
export function install(program: Pick<ProgramPackage, "name" | "version" | "install">): void {
  const folder = folderOf(program);
  if (existsSync(folder)) return;
  const temporary = `${folder}.${process.pid}.tmp`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  writeFileSync(join(temporary, "package.json"), `${JSON.stringify({ private: true })}\n`);
  const npm = (...args: readonly string[]) =>
    execFileSync("npm", [...args, "--loglevel=error"], { cwd: temporary, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (program.install === "archive") {
    const [archive = ""] = npm("pack", called(program), "--silent").trim().split("\n").slice(-1);
    execFileSync("tar", ["xzf", archive], { cwd: temporary });
    rmSync(join(temporary, archive));
  } else {
    npm("install", called(program), "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund");
  }
  renameSync(temporary, folder);
}

/** Brings Node 22 into the cache. */
export function installNode22(): void {
  install({ ...NODE_22, install: "with-dependencies" });
}
