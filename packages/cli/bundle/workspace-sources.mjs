import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** Takes this workspace's packages from their sources, so that a bundle never holds an old build. Others keep their own conditions.
 * @returns {import("rolldown").Plugin} */
export function workspaceSources() {
  return {
    name: "workspace-sources",
    resolveId: {
      filter: { id: /^@plimsoll\// },
      handler(id, importer) {
        const [scope, name, ...rest] = id.split("/");
        const folder = packageFolder(`${scope}/${name}`, importer ?? import.meta.filename);
        const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        const { source } = exports[[".", ...rest].join("/")];
        return join(folder, source);
      },
    },
  };
}

/** The folder of a package as the importer finds it, by links.
 * @param {string} name @param {string} importer */
function packageFolder(name, importer) {
  const paths = [...(createRequire(importer).resolve.paths(name) ?? []), join(import.meta.dirname, "node_modules")];
  for (const path of paths) {
    try {
      readFileSync(join(path, name, "package.json"));
      return realpathSync(join(path, name));
    } catch {
      // The next folder up may have it.
    }
  }
  throw new Error(`${name} is not found from ${dirname(importer)}`);
}
