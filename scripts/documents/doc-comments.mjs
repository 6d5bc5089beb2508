import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../tool.mjs";

/** Finds the first words of doc comments that begin with "What", with the line of each. @param {string} text @returns {readonly string[]} */
export function whatComments(text) {
  const found = [...text.matchAll(/\/\*\*[\s*]*(What\b[^\n*]*)/g)];
  return found.map(({ index, 1: words = "" }) => `${text.slice(0, index).split("\n").length}: ${words.trim()}`);
}

const FOLDERS = ["packages", "bench", "fixtures", "examples", "lab", "scripts"];
const LEFT_OUT = new Set(["node_modules", "dist", "sessions", ".programs", "doc-comments.test.ts"]);

/** @param {string} folder @returns {readonly string[]} */
function sourcesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (LEFT_OUT.has(entry.name)) return [];
    if (entry.isDirectory()) return sourcesBelow(path);
    return /\.(ts|mjs)$/.test(path) ? [path] : [];
  });
}

/** Doc comments of the project that begin with "What", as `path:line: words`. @returns {readonly string[]} */
export function docCommentProblems() {
  const paths = FOLDERS.flatMap((folder) => sourcesBelow(folder));
  return paths.flatMap((path) => whatComments(readFileSync(join(root, path), "utf8")).map((line) => `${path}:${line}`));
}
