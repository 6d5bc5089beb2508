import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./tool.mjs";

/** The placeholder in manifests where the project has no address yet. `pnpm publish:check` refuses it. */
export const PLACEHOLDER = "https://example.invalid/replace-before-publishing";

/** The folders of the packages that are published. */
export const PUBLISHED = [
  "packages/core",
  "packages/agent",
  "packages/simulator",
  "packages/stores",
  "packages/providers",
  "packages/tools",
  "bench",
  "packages/cli",
];

/** Fields that a published manifest has to have. */
const FIELDS = [
  "name",
  "version",
  "description",
  "license",
  "keywords",
  "homepage",
  "repository",
  "bugs",
  "engines",
  "exports",
  "files",
];

/** A manifest as it is read. @typedef {Readonly<Record<string, unknown>>} Manifest */

/** Lists the gaps of a manifest, for any publisher, a line each. @param {Manifest} manifest @returns {readonly string[]} */
export function manifestProblems(manifest) {
  const { name, keywords, exports, sideEffects } = manifest;
  const missing = FIELDS.filter((field) => manifest[field] === undefined).map((field) => `${name}: no ${field}`);
  const few = Array.isArray(keywords) && keywords.length >= 5 ? [] : [`${name}: fewer than five keywords`];
  const effects = sideEffects === false ? [] : [`${name}: sideEffects is not false`];
  return [...missing, ...few, ...effects, ...entriesOf(exports).flatMap((line) => `${name}: ${line}`)];
}

/** Which fields still have the placeholder. @param {Manifest} manifest @returns {readonly string[]} */
export function placeholderProblems(manifest) {
  const fields = Object.keys(manifest).filter((field) => JSON.stringify(manifest[field]).includes(PLACEHOLDER));
  return fields.map(
    (field) => `${manifest.name}: ${field} is the placeholder ${PLACEHOLDER}; put the project's own address there`,
  );
}

/** Types come before the code that runs; only an entry for sources comes before them. @param {unknown} exports */
function entriesOf(exports) {
  if (typeof exports !== "object" || exports === null) return [];
  return Object.entries(exports).flatMap(([path, target]) => {
    const conditions =
      typeof target === "object" && target !== null ? Object.keys(target).filter((key) => key !== "source") : [];
    return conditions.length === 0 || conditions[0] === "types" ? [] : [`the entry ${path} does not name its types first`];
  });
}

/**
 * Lists the gaps of the files beside a manifest: the text that a registry shows, and the news of the version.
 * @param {Manifest} manifest
 * @param {(name: string) => string | null} read the text of a file of the package, `null` if there is none
 * @returns {readonly string[]}
 */
export function fileProblems({ name, version }, read) {
  const [, newest = null] = /^## (\S+)/m.exec(read("CHANGELOG.md") ?? "") ?? [];
  return [
    ...(read("README.md") === null ? [`${name}: no README.md`] : []),
    ...(newest === version
      ? []
      : [`${name}: CHANGELOG.md begins with ${newest ?? "nothing"}, package.json has ${version}; run pnpm changeset version`]),
  ];
}

/** Reads files of a published package. @param {string} folder @returns {(name: string) => string | null} */
export function reader(folder) {
  return (name) => (existsSync(join(root, folder, name)) ? readFileSync(join(root, folder, name), "utf8") : null);
}

/** The manifests that are published. @returns {readonly Manifest[]} */
export function publishedManifests() {
  return PUBLISHED.map((folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const problems = publishedManifests().flatMap((manifest, index) => [
    ...manifestProblems(manifest),
    ...fileProblems(manifest, reader(PUBLISHED[index] ?? "")),
    ...placeholderProblems(manifest),
  ]);
  for (const problem of problems) console.error(problem);
  console.log(problems.length === 0 ? "can be published" : `${problems.length} things to mend before publishing`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
