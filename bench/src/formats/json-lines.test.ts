import { expect, test } from "vitest";
import type { ImportNote } from "../transcript.ts";
import { textSource } from "./file-source.ts";
import { readObjects, splitObjects } from "./json-lines.ts";

test.each([
  ["nothing", "", [], ""],
  ["one object", '{"a":1}', ['{"a":1}'], ""],
  ["two objects", '{"a":1} {"b":{"c":2}}', ['{"a":1}', '{"b":{"c":2}}'], ""],
  ["brackets and quotes inside strings", '{"a":"}{\\"}"}{"b":"{"}', ['{"a":"}{\\"}"}', '{"b":"{"}'], ""],
  ["a piece at the end", '{"a":1}{"b":', ['{"a":1}'], '{"b":'],
  ["a stray closing bracket", '}{"a":1}', ['{"a":1}'], ""],
  ["no object", "words", [], "words"],
])("%s", (_, text, objects, rest) => {
  expect(splitObjects(text)).toEqual({ objects, rest });
});

test("looks at each character once: a million open brackets are no trouble", () => {
  const text = "{".repeat(1_000_000);
  expect(splitObjects(text).objects).toEqual([]);
});

test("a line that is nested too deep is said, and the others are read", async () => {
  const notes: ImportNote[] = [];
  const values: unknown[] = [];
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  await readObjects(textSource(`{"a":1}\n${deep}\n{"a":2}\n`, "s.jsonl"), notes, ({ value }) => values.push(value));
  expect(values).toEqual([{ a: 1 }, { a: 2 }]);
  expect(notes.map(({ text }) => text)).toEqual(["s.jsonl:2: JSON that is nested too deeply to read; it was left out"]);
});
