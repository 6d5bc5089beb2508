import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../tool.mjs";

/** Folders in which no doc comment begins with "What". */
const FOLDERS: readonly string[] = ["packages/tools", "packages/providers", "packages/cli", "packages/core", "bench"];

const LEFT_OUT = new Set(["node_modules", "dist", "sessions", ".turbo"]);

/** Lists the sources below a folder, as paths from the root. */
function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : sourcesIn(path);
    return /\.(ts|mjs)$/.test(entry.name) ? [path] : [];
  });
}

/** Finds the first words of doc comments that begin with "What", with the line of each. */
function whatComments(text: string): readonly string[] {
  return [...text.matchAll(/\/\*\*[\s*]*(What\b[^\n*]*)/g)].map(
    ({ index, 1: words = "" }) => `${text.slice(0, index).split("\n").length}: ${words.trim()}`,
  );
}

test.each(FOLDERS)("no doc comment of %s begins with What: say the thing, or who does it", (folder) => {
  const paths = sourcesIn(folder);
  expect(paths.length).toBeGreaterThan(10);
  expect(
    paths.flatMap((path) => whatComments(readFileSync(join(root, path), "utf8")).map((line) => `${path}:${line}`)),
  ).toEqual([]);
});

describe("a doc comment", () => {
  test.each([
    ["begins so", "/** What a tool says. */", ["1: What a tool says."]],
    ["begins so on its second line", "x\n/**\n * What it is.\n */", ["2: What it is."]],
    ["has the word inside", "/** Says what it is. What else? */", []],
    ["begins with a word like it", "/** Whatever. */", []],
  ])("%s", (_, text, lines) => {
    expect(whatComments(text)).toEqual(lines);
  });
});
