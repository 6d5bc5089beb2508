import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { importsOf } from "../scripts/arrows/imports.mjs";
import { packageRules } from "../scripts/arrows/rules.mjs";
import { root } from "../scripts/tool.mjs";

/**
 * Lists files of fewer than 150 lines that exactly one file of their package imports, tests aside: each belongs to that neighbour, or is a member of a
 * registry or a contract of its own. Packages or folders may be named: `node lab/one-importer.mjs bench packages/cli/src/proxy`.
 */
const FEWEST_LINES = 150;
const MOST_LINES = 400;
const asked = process.argv.slice(2);

const isSource = (/** @type {string} */ path) => /\.ts$/.test(path) && !/\.test\.ts$|\.d\.ts$/.test(path);
const linesOf = (/** @type {string} */ path) => readFileSync(path, "utf8").split("\n").length - 1;

for (const { folder, source } of packageRules) {
  const top = join(root, folder, source);
  if (!existsSync(top)) continue;
  const files = readdirSync(top, { recursive: true, encoding: "utf8" })
    .map((path) => join(top, path))
    .filter(isSource);
  /** @type {Map<string, Set<string>>} */
  const importers = new Map(files.map((file) => [file, new Set()]));
  const entries = readFileSync(join(root, folder, "package.json"), "utf8");
  for (const file of files)
    for (const { specifier } of importsOf(file, readFileSync(file, "utf8")).imports)
      if (specifier?.startsWith(".")) importers.get(join(dirname(file), specifier))?.add(file);
  for (const [file, by] of importers) {
    const [only] = by;
    const name = relative(root, file);
    if (
      only === undefined ||
      by.size > 1 ||
      linesOf(file) >= FEWEST_LINES ||
      entries.includes(relative(join(root, folder), file))
    )
      continue;
    if (asked.length > 0 && !asked.some((each) => name.startsWith(each))) continue;
    const together = linesOf(file) + linesOf(only);
    if (together <= MOST_LINES)
      console.log(
        `${String(linesOf(file)).padStart(4)} + ${String(linesOf(only)).padStart(3)}  ${name} → ${relative(root, only)}`,
      );
  }
}
