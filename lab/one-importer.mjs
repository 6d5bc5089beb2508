import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { importsOf } from "../scripts/arrows/imports.mjs";
import { packageRules } from "../scripts/arrows/rules.mjs";
import { root } from "../scripts/tool.mjs";

/**
 * Lists files of fewer than 150 lines that exactly one file of their package imports, tests aside, and that would fit into it: each belongs there, or is a
 * member of a registry or a contract of its own. `node lab/one-importer.mjs bench packages/cli/src/proxy` lists those below the paths.
 */
const [FEWEST_LINES, MOST_LINES, asked] = [150, 400, process.argv.slice(2)];
const linesOf = (/** @type {string} */ path) => readFileSync(path, "utf8").split("\n").length - 1;

for (const { folder, source } of packageRules) {
  const top = join(root, folder, source);
  const paths = existsSync(top) ? readdirSync(top, { recursive: true, encoding: "utf8" }) : [];
  const files = paths.filter((path) => /(?<!\.test|\.d)\.ts$/.test(path)).map((path) => join(top, path));
  /** @type {Map<string, Set<string>>} */
  const importers = new Map(files.map((file) => [file, new Set()]));
  for (const file of files)
    for (const { specifier } of importsOf(file, readFileSync(file, "utf8")).imports)
      if (specifier?.startsWith(".")) importers.get(join(dirname(file), specifier))?.add(file);
  for (const [file, [only, ...others]] of importers) {
    const [lines, name] = [linesOf(file), relative(root, file)];
    if (only === undefined || others.length > 0 || lines >= FEWEST_LINES || lines + linesOf(only) > MOST_LINES) continue;
    if (asked.length === 0 || asked.some((each) => name.startsWith(each)))
      console.log(`${lines}  ${name} → ${relative(root, only)}`);
  }
}
