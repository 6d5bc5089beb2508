import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { comments, docCommentProblems, relativesPerThousand } from "./documents/doc-comments.mjs";
import { documentPages, pageText } from "./documents/pages.mjs";
import { screenProblems } from "./documents/screen-words.mjs";
import { root } from "./tool.mjs";

/**
 * The budgets of the house: lines of code, words of the documents, private words in texts that screens show, and free relatives. A change that exceeds one deletes something, or raises it in `budgets.json` with a
 * reason of one line. `goal` is where the row shall come to.
 *
 * Code is every line of a `.ts`, `.mjs` or `.js` file, empty lines and comments too. Tests and builders are files named `*.test.*` and all in folders named `testing`. A row that names folders counts
 * the rest of them. A row of a heart counts the files that the package's README gives an order to read in.
 * @typedef {{ readonly most: number, readonly goal: number, readonly why?: string }} Budget
 * @typedef {{ readonly rest: number, readonly tests: number }} Lines
 */

const SOURCE = /\.(?:ts|mjs|js)$/;
const TEST = /\.test\.(?:ts|mjs)$/;

/** Whether a folder holds code of ours: not installed, built or hidden. @param {string} name */
const isOurs = (name) => !name.startsWith(".") && name !== "node_modules" && name !== "dist";

/** @param {string} path */
const linesOf = (path) => readFileSync(path, "utf8").split("\n").length - 1;

/** Lines of code below a folder. @param {string} folder @param {boolean} [isTesting] whether the folder is in one of builders @returns {Lines} */
export function linesBelow(folder, isTesting = false) {
  let [rest, tests] = [0, 0];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && isOurs(entry.name)) {
      const below = linesBelow(path, isTesting || entry.name === "testing");
      [rest, tests] = [rest + below.rest, tests + below.tests];
    } else if (entry.isFile() && SOURCE.test(entry.name)) {
      if (isTesting || TEST.test(entry.name)) tests += linesOf(path);
      else rest += linesOf(path);
    }
  }
  return { rest, tests };
}

/** Texts of all documents, decisions included. @returns {readonly string[]} */
function documents() {
  const decisions = readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`);
  return [...new Set([...documentPages(), ...decisions])].map(pageText);
}

/** @returns {Record<string, Budget>} */
const written = () => JSON.parse(readFileSync(join(root, "scripts/budgets.json"), "utf8"));

/** Lists the budgets: the count, the allowed most, and the goal. @returns {readonly (Budget & { readonly name: string, readonly now: number })[]} */
export function budgets() {
  const all = linesBelow(root);
  const total = new Map([
    ["all code", all.rest + all.tests],
    ["outside tests and builders", all.rest],
    ["tests and builders", all.tests],
  ]);
  return Object.entries(written()).map(([name, budget]) => ({ name, ...budget, now: total.get(name) ?? nowOf(name) }));
}

const WORDS_IN = "private words in ";
const RELATIVES_IN = "free relatives in 1,000 words of ";
const HEART_OF = "the heart of ";
const FIELDS_OF = /^fields of (\w+) in (.+)$/;

/** Lists the files of a package's heart: those that its README gives an order to read in. @param {string} folder @returns {readonly string[]} */
export function heartOf(folder) {
  const listed = readFileSync(join(root, folder, "README.md"), "utf8").matchAll(/^\d+\. `([\w/-]+)`/gm);
  return [...listed].map(([, name]) => `${folder}/src/${name}.ts`);
}

/** Counts the fields that an interface declares itself. @param {string} name @param {string} path @returns {number} */
function fieldsOf(name, path) {
  const [, body = ""] =
    new RegExp(`^export interface ${name} \\{\n(.*?)^\\}`, "ms").exec(readFileSync(join(root, path), "utf8")) ?? [];
  return [...body.matchAll(/^ {2}\w[\w ]*\??:/gm)].length;
}

/** @param {string} name @returns {number} */
function nowOf(name) {
  if (name === "documents") return documents().flatMap((text) => text.split(/\s+/).filter(Boolean)).length;
  if (name.startsWith(RELATIVES_IN)) return relativesPerThousand(name.endsWith("comments") ? comments() : documents());
  if (name.startsWith(WORDS_IN)) return wordsIn(name).length;
  const [, type, path] = FIELDS_OF.exec(name) ?? [];
  if (type !== undefined && path !== undefined) return fieldsOf(type, path);
  const files = name.startsWith(HEART_OF) ? heartOf(name.slice(HEART_OF.length)) : SOURCE.test(name) ? [name] : [];
  if (files.length > 0) return files.reduce((sum, file) => sum + linesOf(join(root, file)), 0);
  return name.split(", ").reduce((sum, folder) => sum + linesBelow(join(root, folder)).rest, 0);
}

/** @param {string} name */
function wordsIn(name) {
  return screenProblems(name.slice(WORDS_IN.length).split(", "));
}

/** Folders with sources that no budget counts. @returns {readonly string[]} */
export function unbudgeted() {
  const counted = Object.keys(written()).flatMap((name) => name.split(", "));
  const top = readdirSync(root).filter((name) => isOurs(name) && statSync(join(root, name)).isDirectory());
  const folders = top.flatMap((name) =>
    name === "packages" ? readdirSync(join(root, name)).map((each) => join(name, each)) : [name],
  );
  return folders
    .map((folder) => relative(root, join(root, folder)).split(sep).join("/"))
    .filter((folder) => !counted.includes(folder) && linesBelow(join(root, folder)).rest > 0);
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
