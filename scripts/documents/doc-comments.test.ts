import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../tool.mjs";

/** Folders with the number of doc comments that may still begin with "What". The numbers only go down. */
const MAY_BEGIN_SO: readonly (readonly [folder: string, most: number])[] = [
  ["packages/tools", 0],
  ["packages/providers", 0],
  ["packages/cli", 190],
  ["packages/core", 500],
  ["bench", 450],
];

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

test.each(MAY_BEGIN_SO)("%s: at most %i doc comments begin with What: say the thing, or who does it", (folder, most) => {
  const found = sourcesIn(folder).flatMap((path) =>
    whatComments(readFileSync(join(root, path), "utf8")).map((line) => `${path}:${line}`),
  );
  expect(sourcesIn(folder).length).toBeGreaterThan(10);
  expect(found.slice(0, Math.max(0, found.length - most))).toEqual([]);
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
