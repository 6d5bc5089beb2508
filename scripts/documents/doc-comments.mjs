import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
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
    return /\.(ts|mjs|js)$/.test(path) ? [path] : [];
  });
}

/** Doc comments of the project that begin with "What", as `path:line: words`. @returns {readonly string[]} */
export function docCommentProblems() {
  return FOLDERS.flatMap(sourcesBelow).flatMap((path) =>
    whatComments(readFileSync(join(root, path), "utf8")).map((line) => `${path}:${line}`),
  );
}

/** All comments of the project, doc comments and others. @returns {readonly string[]} */
export function comments() {
  return FOLDERS.flatMap(sourcesBelow).flatMap((path) =>
    parseSync(path, readFileSync(join(root, path), "utf8")).comments.map(({ value }) => value),
  );
}

/**
 * Counts free relatives ("what", "who" and the like as subject or object) in 1,000 words, to one decimal. Questions, code and quotations don't count.
 * @param {readonly string[]} texts
 * @returns {number}
 */
export function relativesPerThousand(texts) {
  const prose = texts.map((text) => text.replaceAll(/```[\s\S]*?```|`[^`]*`|"[^"]*"/g, "_"));
  const words = prose.reduce((sum, text) => sum + text.split(/[\s*/]+/).filter(Boolean).length, 0);
  const sentences = prose.flatMap((text) => text.split(/(?<=[.?!:;|])\s/)).filter((sentence) => !/\?\s*$/.test(sentence));
  const found = sentences.flatMap((sentence) => sentence.match(/\b(?:what|who)(?:ever)?\b/gi) ?? []);
  return Math.round((found.length / words) * 10_000) / 10;
}
