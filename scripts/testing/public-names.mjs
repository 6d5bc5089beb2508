import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { parseSync } from "oxc-parser";
import { PUBLISHED } from "../publish-check.mjs";
import { root } from "../tool.mjs";

/** Folders whose packages have public entries, and the folders that may use them. */
const PACKAGE_FOLDERS = [...PUBLISHED, "fixtures"];
const USER_FOLDERS = [...PACKAGE_FOLDERS, "lab", "scripts", "examples/extension"];
const DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs"];

/**
 * One entry of a package: the specifier that others import it by, and the names that it exports.
 * @typedef {{ readonly folder: string, readonly specifier: string, readonly names: readonly string[] }} Entry
 */

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), "utf8");

/** Files below a folder, as paths from the root. @param {string} folder @returns {readonly string[]} */
function filesOf(folder) {
  if (!existsSync(join(root, folder))) return [];
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => path.split(sep).join("/"));
  return paths.filter((path) => !/(^|\/)(node_modules|dist|\.programs)\//.test(path)).map((path) => `${folder}/${path}`);
}

/** The entries of all packages. @returns {readonly Entry[]} */
export function publicEntries() {
  return PACKAGE_FOLDERS.flatMap((folder) => {
    /** @type {{ readonly name: string, readonly exports?: Readonly<Record<string, string | { readonly source?: string }>> }} */
    const manifest = JSON.parse(read(`${folder}/package.json`));
    return Object.entries(manifest.exports ?? {}).flatMap(([path, target]) => {
      const source = typeof target === "string" ? undefined : target.source;
      if (source === undefined) return [];
      const specifier = path === "." ? manifest.name : `${manifest.name}${path.slice(1)}`;
      return [{ folder, specifier, names: exportedNames(join(folder, source)) }];
    });
  });
}

/** The names that a file exports, by declaration or from another file. @param {string} path @returns {readonly string[]} */
function exportedNames(path) {
  const { module } = parseSync(path, read(path));
  return module.staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName }) => exportName.name ?? []));
}

/** The names that each package's files import from each entry, as `package specifier name`. @returns {ReadonlySet<string>} */
export function importedNames() {
  /** @type {Set<string>} */
  const used = new Set();
  for (const folder of USER_FOLDERS) {
    for (const path of filesOf(folder)) {
      if (!/\.m?[jt]s$/.test(path)) continue;
      const { module } = parseSync(path, read(path));
      for (const { moduleRequest, entries } of module.staticImports) {
        if (!moduleRequest.value.startsWith("@plimsoll/")) continue;
        for (const { importName } of entries) used.add(`${folder} ${moduleRequest.value} ${importName.name ?? "*"}`);
      }
    }
  }
  return used;
}

/** The code in all documents, and all examples: a name in prose may be a word like any other. @returns {string} */
export function documentsText() {
  const documents = DOCUMENTS.flatMap((path) => (path.endsWith(".md") ? [path] : filesOf(path)));
  const inPackages = PACKAGE_FOLDERS.flatMap((folder) => [
    ...filesOf(`${folder}/examples`),
    ...(existsSync(join(root, folder, "README.md")) ? [`${folder}/README.md`] : []),
  ]);
  const texts = [...documents, ...inPackages].filter((path) => /\.(md|m?[jt]s)$/.test(path));
  return texts.map((path) => (path.endsWith(".md") ? codeOf(read(path)) : read(path))).join("\n");
}

/** Finds the texts of a document's blocks of code and between its backticks. @param {string} markdown */
function codeOf(markdown) {
  const blocks = markdown.split("```");
  const spans = blocks.flatMap((block, index) => (index % 2 === 1 ? [block] : (block.match(/`[^`\n]+`/g) ?? [])));
  return spans.join("\n");
}

/** True if a text has the name as a word. @param {string} text @param {string} name */
export function hasWord(text, name) {
  return new RegExp(`(?<![A-Za-z0-9_$])${name.replaceAll("$", "\\$")}(?![A-Za-z0-9_$])`).test(text);
}
