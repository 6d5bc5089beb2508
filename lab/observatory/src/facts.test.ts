import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { programFactsSchema } from "./facts.ts";
import { PROGRAMS } from "./programs/programs.ts";

const FOLDER = new URL("../facts/", import.meta.url);
const FILES = readdirSync(FOLDER);
const textOf = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");
const factsOf = (name: string) => programFactsSchema.parse(JSON.parse(textOf(name)));

test.each(FILES)("%s is of the version that is pinned", (file) => {
  const pinned = PROGRAMS.map(({ name, packageName, version, licence }) => ({ program: name, packageName, version, licence }));
  const { program, packageName, version, licence } = factsOf(file);
  expect(pinned).toContainEqual({ program, packageName, version, licence });
});

test.each(FILES)("%s is as it is written, and holds no text that is longer than a name", (file) => {
  const text = textOf(file);
  expect(`${JSON.stringify(factsOf(file), null, 2)}\n`).toBe(text);
  const texts: string[] = [];
  JSON.parse(text, (_, value: unknown) => {
    texts.push(...(typeof value === "string" ? [value] : []));
    return value;
  });
  expect(texts.filter((each) => each.length > 40 || each.split(" ").length > 3)).toEqual([]);
});

test.each([
  ["a text in the place of a name", { wire: "Something went wrong: the request of the program was refused" }],
  ["a field more", { said: "no" }],
])("facts with %s are refused", (_, more) => {
  const facts = factsOf("codex.json");
  expect(programFactsSchema.safeParse({ ...facts, ...more }).success).toBe(false);
});
