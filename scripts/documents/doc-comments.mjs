import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../tool.mjs";

/** Finds the first words of doc comments that begin with "What", with the line of each. @param {string} text @returns {readonly string[]} */
export function whatComments(text) {
  const found = [...text.matchAll(/\/\*\*[\s*]*(What\b[^\n*]*)/g)];
  return found.map(({ index, 1: words = "" }) => `${text.slice(0, index).split("\n").length}: ${words.trim()}`);
}

/** Doc comments of packages and bench that begin with "What", as `path:line: words`. @returns {readonly string[]} */
export function docCommentProblems() {
  const paths = ["packages", "bench"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  );
  const sources = paths.filter((path) => /\.(ts|mjs)$/.test(path) && !/\/(node_modules|dist|sessions)\//.test(path));
  return sources.flatMap((path) => whatComments(readFileSync(join(root, path), "utf8")).map((line) => `${path}:${line}`));
}
