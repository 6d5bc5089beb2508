import { glob } from "tinyglobby";
import type { Workspace } from "./workspace.ts";

/** Patterns of folders that are never listed. */
const SKIPPED = ["**/.git/**", "**/node_modules/**"] as const;

/** Paths of the files below a folder of the workspace that a pattern matches, relative to the root, in order. Links are not followed. */
export async function workspaceFiles(workspace: Workspace, folder: string, pattern: string): Promise<readonly string[]> {
  const place = await workspace.place(folder);
  // Such a pattern would walk folders outside before its matches are thrown away.
  if (pattern.startsWith("/") || pattern.split("/").includes("..")) return [];
  const found = await glob(pattern, {
    cwd: place,
    ignore: [...SKIPPED],
    dot: true,
    onlyFiles: true,
    followSymbolicLinks: false,
    expandDirectories: false,
  });
  const prefix = workspace.nameOf(place);
  return found.map((name) => (prefix === "." ? name : `${prefix}/${name}`)).sort();
}
