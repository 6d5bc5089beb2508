import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { BUILT_IN_PARTS, type Importer } from "@plimsoll/bench";
import { fileSource, type InputFile, readHead, type SkippedInput } from "@plimsoll/bench/internal";
import { isPlimsollError } from "@plimsoll/core";
import { glob, isDynamicPattern } from "tinyglobby";

/** Files to replay, with what was given but cannot be. */
export interface FoundInputs {
  readonly files: readonly InputFile[];
  /** Arguments that name nothing, each with what to do. */
  readonly missing: readonly SkippedInput[];
  /** Files below a folder or matched by a pattern that no importer recognises. */
  readonly notSessions: readonly string[];
}

/** Folders whose files nobody means when they name a folder above them. */
const IGNORED = ["**/node_modules/**", "**/.git/**"];

/**
 * Files, folders (with all below them) and patterns, as the user gave them. What a folder or pattern leads to is looked at and left
 * out if it is no session; a file that was named is always tried. Each file comes once.
 */
export async function findInputs(given: readonly string[], cwd: string, importers?: readonly Importer[]): Promise<FoundInputs> {
  const seen = new Set<string>();
  const files: InputFile[] = [];
  const missing: SkippedInput[] = [];
  const notSessions: string[] = [];
  for (const argument of given) {
    const found = await expand(argument, cwd);
    if (found.members.length === 0) missing.push({ file: argument, reason: found.problem });
    for (const displayName of found.members) {
      const path = resolve(cwd, displayName);
      // The same file under two names, by a link or given twice, is one session.
      const place = await realpath(path).catch(() => path);
      if (seen.has(place)) continue;
      seen.add(place);
      if (found.isNamed || (await isSessionFile(path, importers))) files.push({ path, displayName });
      else notSessions.push(displayName);
    }
  }
  return { files, missing, notSessions };
}

/** Both, each file once. */
export function joinInputs(first: FoundInputs, second: FoundInputs): FoundInputs {
  const files = new Map([...first.files, ...second.files].map((file) => [file.path, file]));
  return {
    files: [...files.values()],
    missing: [...first.missing, ...second.missing],
    notSessions: [...first.notSessions, ...second.notSessions],
  };
}

interface Expanded {
  /** Paths as they are shown. */
  readonly members: readonly string[];
  readonly isNamed: boolean;
  /** What to say if there are no members. */
  readonly problem: string;
}

async function expand(argument: string, cwd: string): Promise<Expanded> {
  const stats = await stat(resolve(cwd, argument)).catch(() => null);
  if (stats?.isFile()) return { members: [argument], isNamed: true, problem: "" };
  if (stats?.isDirectory()) {
    const below = await glob("**/*", { cwd: resolve(cwd, argument), dot: true, ignore: IGNORED, expandDirectories: false });
    const members = below.toSorted().map((member) => join(argument, member));
    return { members, isNamed: false, problem: `${argument}: an empty folder; give a folder with session files` };
  }
  if (isDynamicPattern(argument)) {
    const matches = await glob(argument, { cwd, dot: true, ignore: IGNORED });
    return { members: matches.toSorted(), isNamed: false, problem: `${argument}: no file matches this pattern` };
  }
  return { members: [], isNamed: true, problem: `${argument}: no such file or folder` };
}

/** True if one of the importers recognises the file by its content. A file that cannot be read is none. */
export async function isSessionFile(path: string, importers: readonly Importer[] = BUILT_IN_PARTS.importers): Promise<boolean> {
  try {
    const head = await readHead(fileSource(path, path));
    return importers.some((importer) => importer.recognises(head));
  } catch (error) {
    if (isPlimsollError(error, "bad-input")) return false;
    throw error;
  }
}
