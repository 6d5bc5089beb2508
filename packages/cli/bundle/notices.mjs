import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A package with a module in a bundle, with its licence.
 * @typedef {{ readonly name: string, readonly version: string, readonly license: string, readonly author: string | null, readonly text: string | null }} BundledPackage
 */

/**
 * The packages, other than this workspace's own, that modules of a bundle come from, by name and version.
 * @param {readonly string[]} modules
 * @returns {readonly BundledPackage[]}
 */
export function bundledPackages(modules) {
  const folders = new Set(modules.flatMap((id) => packageFolderOf(id.replace(/^\0/, "").replace(/\?.*$/, "")) ?? []));
  const packages = [...folders].map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return { name, version, license, author: author?.name ?? author ?? null, text: licenceText(folder) };
  });
  const named = new Map(packages.map((each) => [`${each.name} ${each.version}`, each]));
  return [...named.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** The notices as one text. @param {readonly BundledPackage[]} packages */
export function noticesText(packages) {
  const head = "This package contains code of the packages below, under their licences.\n";
  const parts = packages.map((each) => {
    const { name, version, license, text } = each;
    return `${"=".repeat(78)}\n${name} ${version}: ${license}\n\n${(text ?? withoutFile(each)).trim()}\n`;
  });
  return [head, ...parts].join("\n");
}

/** The notice of a package that names its licence and has no file with it. @param {BundledPackage} given */
function withoutFile({ name, license, author }) {
  const by = author === null ? `the authors of ${name}` : author;
  return `Copyright (c) ${by}. The package has no file with its licence; its manifest says ${license}:\nhttps://spdx.org/licenses/${license}.html`;
}

/** The folder of the package that a module of node_modules is in. Manifests without a name, which only say "type", are passed over.
 * @param {string} id @returns {string | null} */
function packageFolderOf(id) {
  if (!id.includes("/node_modules/")) return null;
  for (let folder = dirname(id); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, "package.json");
    if (existsSync(manifest) && typeof JSON.parse(readFileSync(manifest, "utf8")).name === "string") return folder;
  }
  return null;
}

/** @param {string} folder @returns {string | null} */
function licenceText(folder) {
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)/i.test(name));
  return file === undefined ? null : readFileSync(join(folder, file), "utf8");
}
