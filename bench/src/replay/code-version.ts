import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Packages whose code decides a replay's result. */
const PACKAGES = ["@plimsoll/core", "@plimsoll/providers", "@plimsoll/bench"] as const;

/**
 * A name for the code that replays: a hash over names, sizes and times of change of its files, so that rows from before an upgrade, or before a
 * developer's edit, do not count as present results. Where all of it is one bundle no package is found, and the folder of this file has everything.
 * `also` is a folder of code of the caller's own.
 */
export async function codeVersion(also: string | null = null): Promise<string> {
  const hash = createHash("sha256");
  const own = { name: "own", folder: dirname(fileURLToPath(import.meta.url)) };
  const packages = PACKAGES.map((each) => ({ name: each, folder: folderOf(each) }));
  for (const { name, folder } of [own, ...packages, { name: "also", folder: also }]) {
    for (const line of await filesBelow(folder)) hash.update(`${name}/${line}\n`);
  }
  return hash.digest("hex");
}

function folderOf(name: string): string | null {
  try {
    return dirname(fileURLToPath(import.meta.resolve(name)));
  } catch {
    // Not every way of running the sources can resolve a package's name.
    return null;
  }
}

async function filesBelow(folder: string | null): Promise<readonly string[]> {
  if (folder === null) return [];
  const found = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const lines = await Promise.all(
    paths.map(async (path) => {
      const { size, mtimeMs } = await stat(path);
      return `${path.slice(folder.length)} ${size} ${mtimeMs}`;
    }),
  );
  return lines.toSorted();
}
