import { describe, expect, test } from "vitest";
import { documentsText, hasWord, importedNames, publicEntries } from "./testing/public-names.mjs";

const entries = publicEntries();
const used = [...importedNames()].map((line) => line.split(" "));
const documents = documentsText();

/** Names of an entry that no document, no example and no other folder has. */
function namesOfNobody({ folder, specifier, names }: (typeof entries)[number]): readonly string[] {
  const imported = new Set(used.filter(([from, entry]) => entry === specifier && from !== folder).map(([, , name]) => name));
  return names.filter((name) => !imported.has(name) && !hasWord(documents, name));
}

describe("core's main entry", () => {
  const { names = [] } = entries.find(({ specifier }) => specifier === "@plimsoll/core") ?? {};

  test("has at most 90 names", () => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.length).toBeLessThanOrEqual(90);
  });

  test("has each name in a document or an example", () => {
    expect(names.filter((name) => !hasWord(documents, name))).toEqual([]);
  });
});

test("all entries together have at most 560 names", () => {
  expect(entries.flatMap(({ names }) => names).length).toBeLessThanOrEqual(560);
});

/** Most names of an entry for parts of one's own. They only go down. */
test.each([
  ["@plimsoll/core/extend", 150],
  ["@plimsoll/bench/extend", 40],
  ["@plimsoll/providers/extend", 20],
  ["@plimsoll/simulator/extend", 10],
])("%s has at most %i names", (entry, most) => {
  const { names = [] } = entries.find(({ specifier }) => specifier === entry) ?? {};
  expect(names.length).toBeGreaterThan(0);
  expect(names.length).toBeLessThanOrEqual(most);
});

/**
 * Entries with names that no file imports by an import statement, and their number: the program's own start, its help as the bundle keeps it, and modules that it
 * loads on demand.
 */
const NAMES_OF_NOBODY: Readonly<Record<string, number>> = { plimsoll: 2, "@plimsoll/bench/extend": 1 };

test.each(entries)("$specifier exports what somebody outside uses or reads about", (entry) => {
  const names = namesOfNobody(entry);
  const allowed = NAMES_OF_NOBODY[entry.specifier] ?? 0;
  expect(names.slice(0, Math.max(0, names.length - allowed)), `of ${names.join(", ")}`).toEqual([]);
});

test.each([
  ["a name in code", "Policy", "`const policy: Policy`", true],
  ["a part of another name", "Policy", "`PolicyFile`", false],
  ["a name with another before it", "Policy", "`MyPolicy`", false],
])("%s", (_, name, text, expected) => {
  expect(hasWord(text, name)).toBe(expected);
});
