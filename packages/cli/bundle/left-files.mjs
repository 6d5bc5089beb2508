import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Lists the files of `dist` that belong to the present bundle; beside it, so that it is not published. */
const LIST = "bundled-files.json";

/**
 * Notes the files of a bundle.
 * @param {string} folder the package's
 * @param {readonly string[]} files paths in its `dist`, with slashes
 */
export function listFiles(folder, files) {
  writeFileSync(join(folder, LIST), `${JSON.stringify(files.toSorted(), null, 2)}\n`);
}

/**
 * Removes files of earlier bundles from `dist`: names have a hash, so that nothing is written over. The files of this one stay where they are: a
 * program may be running from them. Without a list nothing is removed.
 * @param {string} folder the package's
 */
export function removeLeftFiles(folder) {
  const list = join(folder, LIST);
  if (!existsSync(list)) return;
  /** @type {ReadonlySet<string>} */
  const made = new Set(JSON.parse(readFileSync(list, "utf8")));
  const code = join(folder, "dist");
  for (const file of readdirSync(code, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !made.has(relative(code, path).split(sep).join("/"))) rmSync(path);
  }
}
