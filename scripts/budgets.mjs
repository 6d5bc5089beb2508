import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { docCommentProblems } from "./documents/doc-comments.mjs";
import { documentPages, pageText } from "./documents/pages.mjs";
import { screenProblems } from "./documents/screen-words.mjs";
import { root } from "./tool.mjs";

/**
 * The budgets of the house: lines outside tests of each folder, words of the documents, and private words in texts that screens show. A change that exceeds one deletes something, or raises it in
 * `budgets.json` with a reason of one line. `goal` is where the folder shall come to.
 * @typedef {{ readonly most: number, readonly goal: number, readonly why?: string }} Budget
 */

const SOURCE = /\.(?:ts|mjs|js)$/;
const TEST = /\.test\.ts$|\.test\.mjs$/;
const LEFT_OUT = new Set(["node_modules", "dist", "testing", "pages", "sessions", "landed", ".programs", ".turbo"]);

/** Lines of the sources below a folder, tests and their builders left out. @param {string} folder @returns {number} */
export function sourceLines(folder) {
  let lines = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) lines += sourceLines(path);
    else if (entry.isFile() && SOURCE.test(entry.name) && !TEST.test(entry.name))
      lines += readFileSync(path, "utf8").split("\n").length - 1;
  }
  return lines;
}

/** Words of all documents, decisions included. @returns {number} */
export function documentWords() {
  const decisions = readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`);
  const words = (/** @type {string} */ page) => pageText(page).split(/\s+/).filter(Boolean).length;
  return [...new Set([...documentPages(), ...decisions])].reduce((sum, page) => sum + words(page), 0);
}

/** Lists the budgets: what each counts, what it allows, and where it shall come to. @returns {readonly (Budget & { readonly name: string, readonly now: number })[]} */
export function budgets() {
  /** @type {Record<string, Budget>} */
  const written = JSON.parse(readFileSync(join(root, "scripts/budgets.json"), "utf8"));
  return Object.entries(written).map(([name, budget]) => ({
    name,
    ...budget,
    now: name === "documents" ? documentWords() : name.startsWith(WORDS_IN) ? wordsIn(name).length : linesOf(name),
  }));
}

const WORDS_IN = "private words in ";

/** @param {string} name */
function wordsIn(name) {
  return screenProblems(name.slice(WORDS_IN.length).split(", "));
}

/** @param {string} folders separated by commas */
function linesOf(folders) {
  return folders.split(", ").reduce((sum, folder) => sum + sourceLines(join(root, folder)), 0);
}

/** Folders with sources that no budget counts. @returns {readonly string[]} */
export function unbudgeted() {
  const counted = budgets().flatMap(({ name }) => name.split(", "));
  const top = readdirSync(root).filter(
    (name) => !name.startsWith(".") && !LEFT_OUT.has(name) && statSync(join(root, name)).isDirectory(),
  );
  const folders = top.flatMap((name) =>
    name === "packages" ? readdirSync(join(root, name)).map((each) => join(name, each)) : [name],
  );
  return folders
    .map((folder) => relative(root, join(root, folder)).split(sep).join("/"))
    .filter((folder) => !counted.includes(folder) && sourceLines(join(root, folder)) > 0);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const counted = budgets();
  const problems = docCommentProblems();
  for (const { name, now, most, goal } of counted) {
    const mark = now > most ? "  OVER" : "";
    console.log(`${String(now).padStart(7)} of ${String(most).padStart(6)}, goal ${String(goal).padStart(6)}  ${name}${mark}`);
    if (name.startsWith(WORDS_IN) && (now > most || process.argv.includes("--words"))) console.log(wordsIn(name).join("\n"));
  }
  for (const line of problems) console.log(`a doc comment begins with What: ${line}`);
  process.exitCode = problems.length > 0 || counted.some(({ now, most }) => now > most) ? 1 : 0;
}
