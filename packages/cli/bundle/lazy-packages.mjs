import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";

const LAZY = "?lazy=";

/** Writes packages as files of their own that are loaded when a function of theirs is called first: a table of prices takes longer to run than Node to start.
 * @param {{ readonly [name: string]: readonly string[] }} functions the functions that the program takes of each package
 * @returns {import("rolldown").Plugin} */
export function lazyPackages(functions) {
  return {
    name: "lazy-packages",
    resolveId(name, importer) {
      return name in functions ? `${createRequire(importer ?? import.meta.url).resolve(name)}${LAZY}${name}` : null;
    },
    load(id) {
      const [file = "", name] = id.split(LAZY);
      if (name === undefined) return null;
      const fileName = `${basename(name)}.cjs`;
      this.emitFile({ type: "asset", fileName, source: readFileSync(file, "utf8") });
      const loaded = `createRequire(import.meta.url)("./${fileName}")`;
      const exported = (functions[name] ?? []).map(
        (each) => `export const ${each} = (...given) => ${loaded}.${each}(...given);`,
      );
      return ['import { createRequire } from "node:module";', ...exported].join("\n");
    },
  };
}
