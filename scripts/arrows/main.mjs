import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { root } from "../tool.mjs";
import { checkPackage } from "./check.mjs";
import { packageRules } from "./rules.mjs";

const isCode = /\.[cm]?[jt]sx?$/;

/** @param {string} folder @param {string} source @returns {Map<string, string>} text by path from the folder, in the order of the paths */
function readCode(folder, source) {
  const from = join(root, folder, source);
  const paths = existsSync(from) ? readdirSync(from, { recursive: true, encoding: "utf8" }) : [];
  return new Map(
    paths
      .filter((path) => isCode.test(path))
      .map((path) => `${source}/${path.split(sep).join("/")}`)
      .toSorted()
      .map((path) => [path, readFileSync(join(root, folder, path), "utf8")]),
  );
}

/** @param {string} folder @returns {import("./check.mjs").Manifest} */
function readManifest(folder) {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
  return {
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependenciesMeta }),
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
  };
}

let fileCount = 0;
let violationCount = 0;
for (const rule of packageRules) {
  const files = new Map([
    ...readCode(rule.folder, rule.source),
    ...readCode(rule.folder, "testing"),
    ...readCode(rule.folder, "micro"),
  ]);
  fileCount += files.size;
  for (const { file, line, message } of checkPackage(rule, readManifest(rule.folder), files)) {
    violationCount += 1;
    console.log(`${file}:${line}: ${message}`);
  }
}
console.log(`arrows: ${fileCount} files, ${violationCount} not allowed`);
process.exitCode = violationCount === 0 ? 0 : 1;
