import { rowTables } from "./rules.mjs";

/** @typedef {import("./check.mjs").Target} Target */
/** @typedef {import("./rules.mjs").Row} Row */
/** @typedef {import("./rules.mjs").RowTable} RowTable */

/**
 * Judges one file by its package's rows: whether it has a place among them, and why they forbid an import of its.
 * `null` as the specifier is a module whose name is computed.
 * @typedef {{ readonly placeError?: string, readonly complaint: (target: Target | null) => string | null }} RowRule
 */

/**
 * The rule for a file that is no test.
 * @param {string} packageName
 * @param {string} file its path from the package's folder
 * @returns {RowRule | null} null for a package without rows
 */
export function rowRule(packageName, file) {
  const table = rowTables.find(({ name }) => name === packageName);
  if (table === undefined) return null;
  const place = placeOf(table, file);
  if (place !== null) return { complaint: (target) => rowComplaint(table, { ...place, file }, target) };
  const placeError = `is in no row of ${table.called}; add it to the row table in scripts/arrows/rules.mjs`;
  return { placeError, complaint: () => null };
}

/** @param {RowTable} table @param {Row & { readonly file: string }} place @param {Target | null} target @returns {string | null} null: nothing against it */
function rowComplaint(table, place, target) {
  if (target === null) return table.namesComputed ? null : "imports a module whose name is computed; allowed: a literal name";
  switch (target.kind) {
    case "node":
      return place.node === false ? "a node module; allowed: none" : null;
    case "npm":
      return place.npm === undefined || place.npm.includes(target.name)
        ? null
        : `an npm package; allowed in row ${place.row}: ${place.npm.join(", ") || "none"}`;
    case "own": {
      const rows = place.row === 1 ? "row 1" : `rows 1–${place.row}`;
      if (table.index.files.some((file) => target.path === `src/${file}`))
        return `a list of public names; allowed: files of ${rows}`;
      const isIn = (/** @type {string} */ path, /** @type {string} */ folder) => path.startsWith(`src/${folder}`);
      const door = table.closed?.find(({ folder }) => isIn(target.path, folder) && !isIn(place.file, folder));
      if (door !== undefined && ![...door.openTo, ...table.index.files].includes(place.file.slice("src/".length)))
        return `inside ${door.folder}; open to: ${door.openTo.join(", ") || "lists of public names"}`;
      const targetPlace = placeOf(table, target.path);
      if (targetPlace === null) return `in no row of ${table.called}; allowed: ${rows}`;
      return targetPlace.row <= place.row ? null : `row ${targetPlace.row} from row ${place.row}; allowed: ${rows}`;
    }
    case "workspace":
    case "outside":
      return null;
  }
}

/** @param {RowTable} table @param {string} path @returns {Row | null} */
function placeOf({ rows, index }, path) {
  const inSource = path.startsWith("src/") ? path.slice("src/".length) : null;
  if (inSource === null) return null;
  if (index.files.includes(inSource)) return { row: index.lastRow, members: index.files, ...index.may };
  const isMember = (/** @type {string} */ member) => (member.endsWith("/") ? inSource.startsWith(member) : inSource === member);
  return rows.find(({ members }) => members.some(isMember)) ?? null;
}
