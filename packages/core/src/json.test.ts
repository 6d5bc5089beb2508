import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, isJsonValue, isNestedDeeper, isRecord, parseJson, stringsIn, writtenJson } from "./json.ts";

test.each([
  ["keys in order", { b: 1, a: 2 }, '{"a":2,"b":1}'],
  ["keys in order inside arrays", [{ b: 1, a: [] }], '[{"a":[],"b":1}]'],
  ["undefined members left out", { a: undefined, b: null }, '{"b":null}'],
  ["undefined items as null", [undefined], "[null]"],
  ["no value at all", undefined, "null"],
])("canonicalJson writes %s", (_, value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test("canonicalJson gives text that parses to an equal value, whatever the order of keys", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(JSON.stringify(JSON.parse(canonicalJson(value)))).toBe(
        JSON.stringify(JSON.parse(canonicalJson(JSON.parse(canonicalJson(value))))),
      );
    }),
  );
});

test.each([
  ["an object", {}, true],
  ["null", null, false],
  ["an array", [], false],
  ["a string", "a", false],
])("isRecord of %s", (_, value, is) => {
  expect(isRecord(value)).toBe(is);
});

test.each([
  ["scalars", [null, true, "", 0, -1.5], true],
  ["objects in arrays", [{ a: [{ b: null }] }], true],
  ["a value that is nested 100,000 deep", JSON.parse("[".repeat(100_000) + "]".repeat(100_000)), true],
  ["undefined", undefined, false],
  ["a member that is undefined", { a: [{ b: undefined }] }, false],
  ["a number that is not finite", [Number.POSITIVE_INFINITY], false],
  ["a function", { a: () => 1 }, false],
  ["a big integer", [1n], false],
])("isJsonValue of %s", (_, value, is) => {
  expect(isJsonValue(value)).toBe(is);
});

test.each([
  ["values at any of four levels", '{"a":"x","b":[{"c":["y"]}]}', ["x", "y"]],
  ["none that lies deeper", '{"a":{"b":{"c":{"d":{"e":"x"}}}}}', []],
  ["no keys, numbers or empty texts", '{"key":1,"b":"","c":null}', []],
  ["what an escape stands for", '["\\u0061\\n"]', ["a\n"]],
  ["text that is no JSON, as it stands", "cat a.ts", ["cat a.ts"]],
])("stringsIn reads %s", (_, json, strings) => {
  expect(stringsIn(json)).toEqual(strings);
});

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test.each([
  ["500 levels", nested(500), false],
  ["501 levels", nested(501), true],
  ["objects and lists in turn", '{"a":['.repeat(251), true],
  ["many that stand beside each other", `[${"[],".repeat(10_000)}[]]`, false],
  ["brackets in a text", JSON.stringify(`\\"${"[".repeat(1_000)}`), false],
  ["brackets behind a text that ends in a backslash", `["\\\\",${nested(500)}]`, true],
  ["what is cut off", "[".repeat(100_000), true],
])("isNestedDeeper of %s", (_, json, is) => {
  expect(isNestedDeeper(json)).toBe(is);
});

test("foreign JSON that is nested too deep is none, and a value of it is written in words", () => {
  expect(parseJson(nested(500))).toEqual(JSON.parse(nested(500)));
  expect(() => parseJson(nested(100_000))).toThrow(new SyntaxError("nested deeper than 500 levels"));
  expect([writtenJson({ a: 1 }), writtenJson(JSON.parse(nested(100_000)))]).toEqual([
    '{"a":1}',
    "(JSON that is nested too deep to be written)",
  ]);
});
