import { dirname, join, normalize } from "node:path/posix";
import { findCycles } from "./cycles.mjs";
import { importsOf } from "./imports.mjs";
import { rowRule } from "./row-rule.mjs";
import { packageRules } from "./rules.mjs";

/** @typedef {import("./rules.mjs").PackageRule} PackageRule */
/** @typedef {import("./imports.mjs").Import} Import */
/** @typedef {{ readonly dependencies: readonly string[], readonly devDependencies: readonly string[] }} Manifest */
/** @typedef {{ readonly file: string, readonly line: number, readonly message: string }} Violation */

/** The target of an import, seen from the package that imports it.
 * @typedef {{ readonly kind: "own", readonly path: string } |
 *   { readonly kind: "workspace" | "npm", readonly name: string, readonly subpath: string } |
 *   { readonly kind: "node" | "outside" }} Target */

/** Packages that tests may import in addition to those of their package. */
const testPackages = ["vitest", "fast-check"];

/**
 * Checks one package. The pair of a file's path from the package's folder and its text is all that is looked at.
 * @param {PackageRule} rule
 * @param {Manifest} manifest
 * @param {ReadonlyMap<string, string>} files
 * @returns {Violation[]} in the order of the files, paths from the root of the workspace
 */
export function checkPackage(rule, manifest, files) {
  /** @type {Violation[]} */
  const violations = [];
  /** @type {Map<string, readonly string[]>} */
  const ownTargets = new Map();
  /** @type {Map<string, number>} */
  const lineOfEdge = new Map();

  for (const [file, text] of files) {
    /** @param {number} line @param {string} message */
    const report = (line, message) => violations.push({ file: join(rule.folder, file), line, message });
    const { imports, errors } = importsOf(file, text);
    for (const error of errors) report(error.line, `does not parse: ${error.specifier}`);

    const isPlaced = file.startsWith(`${rule.source}/`) && !isTest(file);
    const rows = isPlaced ? rowRule(rule.name, file) : null;
    if (rows?.placeError !== undefined) report(1, rows.placeError);

    /** @type {string[]} */
    const targets = [];
    for (const { specifier, line } of imports) {
      if (specifier === null) {
        const complaint = rows?.complaint(null) ?? null;
        if (complaint !== null) report(line, complaint);
        continue;
      }
      const target = targetOf(rule, file, specifier);
      const complaint = packageComplaint(rule, manifest, file, target) ?? rows?.complaint(target) ?? null;
      if (complaint !== null) report(line, `imports ${specifier}: ${complaint}`);
      if (target.kind !== "own") continue;
      targets.push(target.path);
      const edge = `${file} → ${target.path}`;
      if (!lineOfEdge.has(edge)) lineOfEdge.set(edge, line);
    }
    ownTargets.set(file, targets);
  }

  for (const cycle of findCycles(ownTargets)) {
    const [file = "", next = ""] = cycle;
    const line = lineOfEdge.get(`${file} → ${next}`) ?? 1;
    violations.push({
      file: join(rule.folder, file),
      line,
      message: `is part of a cycle: ${cycle.join(" → ")}; allowed: none`,
    });
  }
  return violations;
}

/** @param {string} file */
function isTest(file) {
  return /\.(?:test|bench)\.m?[jt]sx?$/.test(file);
}

/** @param {PackageRule} rule @param {string} file @param {string} specifier @returns {Target} */
function targetOf(rule, file, specifier) {
  if (specifier.startsWith("node:")) return { kind: "node" };
  if (specifier.startsWith(".")) {
    const path = normalize(join(dirname(file), specifier)).replace(/\.js$/, ".ts");
    return path.startsWith("..") ? { kind: "outside" } : { kind: "own", path };
  }
  const segments = specifier.split("/");
  const name = segments.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  const subpath = specifier.slice(name.length + 1);
  if (name === rule.name) return { kind: "own", path: `${rule.source}/${join(subpath, "index.ts")}` };
  return { kind: packageRules.some((other) => other.name === name) ? "workspace" : "npm", name, subpath };
}

/**
 * Says why the arrows between packages or the manifest forbid an import; null: they do not.
 * @param {PackageRule} rule
 * @param {Manifest} manifest
 * @param {string} file
 * @param {Target} target
 * @returns {string | null}
 */
function packageComplaint(rule, manifest, file, target) {
  const isForTests = isTest(file) || /(?:^|\/)(?:testing|micro)\//.test(file);
  const mayImport = [...rule.mayImport, ...(isForTests ? (rule.testsMayImport ?? []) : [])];
  switch (target.kind) {
    case "own":
      return isForTests || target.path.startsWith(`${rule.source}/`)
        ? null
        : `outside of ${rule.source}/ nothing is shipped; allowed: *.test.ts and testing/`;
    case "node":
      return null;
    case "outside":
      return "leaves the package; allowed: the package's name, if an arrow leads there";
    case "workspace":
      if (!mayImport.includes(target.name)) {
        return `no arrow leads from ${rule.name} to ${target.name}; allowed: ${list(mayImport)}`;
      }
      return target.subpath === "testing" && !isForTests ? "is for tests; allowed: *.test.ts and testing/" : null;
    case "npm": {
      const allowed = [
        ...manifest.dependencies,
        ...(isForTests || rule.isBundled === true ? manifest.devDependencies : []),
        ...(isTest(file) ? testPackages : []),
      ];
      return allowed.includes(target.name) ? null : `not a dependency of ${rule.name}; allowed: ${list(allowed)}`;
    }
  }
}

/** @param {readonly string[]} names */
function list(names) {
  return names.length === 0 ? "none" : names.join(", ");
}
