import { coreIndex, coreRows } from "./rules.mjs";

/** @typedef {import("./check.mjs").Target} Target */
/** @typedef {import("./rules.mjs").CoreRow} CoreRow */

/**
 * What core's rows say about one file: whether it has a place among them, and what they have against an import of its.
 * @typedef {{ readonly placeError?: string, readonly complaint: (target: Target) => string | null }} CoreRule
 */

/** @type {CoreRow} */
const indexRow = { row: coreIndex.lastRow, members: coreIndex.files, npm: [], node: false };

/**
 * The rule for a file of core that is no test.
 * @param {string} file its path from the package's folder
 * @returns {CoreRule}
 */
export function coreRule(file) {
  const place = placeOf(file);
  if (place === null) {
    return { placeError: "is in no row of core; add it to the row table in scripts/arrows/rules.mjs", complaint: () => null };
  }
  return { complaint: (target) => rowComplaint(place, target) };
}

/**
 * @param {CoreRow} place
 * @param {Target} target
 * @returns {string | null} null: nothing against it
 */
function rowComplaint(place, target) {
  switch (target.kind) {
    case "node":
      return place.node ? null : "a node module; allowed: in src/node only";
    case "npm":
      return place.npm.includes(target.name)
        ? null
        : `an npm package; allowed in row ${place.row}: ${place.npm.join(", ") || "none"}`;
    case "own": {
      const rows = place.row === 1 ? "row 1" : `rows 1–${place.row}`;
      if (coreIndex.files.some((file) => target.path === `src/${file}`))
        return `a list of public names; allowed: files of ${rows}`;
      const targetPlace = placeOf(target.path);
      if (targetPlace === null) return `in no row of core; allowed: ${rows}`;
      return targetPlace.row <= place.row ? null : `row ${targetPlace.row} from row ${place.row}; allowed: ${rows}`;
    }
    case "workspace":
    case "outside":
      return null;
  }
}

/**
 * @param {string} path
 * @returns {CoreRow | null}
 */
function placeOf(path) {
  const inSource = path.startsWith("src/") ? path.slice("src/".length) : null;
  if (inSource === null) return null;
  if (coreIndex.files.includes(inSource)) return indexRow;
  return (
    coreRows.find(({ members }) =>
      members.some((member) => (member.endsWith("/") ? inSource.startsWith(member) : inSource === member)),
    ) ?? null
  );
}
