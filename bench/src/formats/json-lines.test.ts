import { expect, test } from "vitest";
import { splitObjects } from "./json-lines.ts";

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
