import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createStringSearch } from "./statements.ts";

function places(strings: readonly string[], text: string): readonly string[] {
  return createStringSearch(strings)(text)
    .map(({ string, start, end }) => `${string} ${start} ${end}`)
    .sort();
}

/** Every place, by looking at each position for each string. */
function naivePlaces(strings: readonly string[], text: string): readonly string[] {
  return strings
    .flatMap((string, stringIndex) =>
      [...text.split("").keys()]
        .filter((start) => string !== "" && text.startsWith(string, start))
        .map((start) => `${stringIndex} ${start} ${start + string.length}`),
    )
    .sort();
}

describe("createStringSearch", () => {
  test.each([
    ["finds strings inside strings", ["abcd", "bc", "c"], "abcd", ["0 0 4", "1 1 3", "2 2 3"]],
    ["finds overlapping places", ["aa"], "aaa", ["0 0 2", "0 1 3"]],
    [
      "finds strings that begin alike for long",
      [1, 2, 3, 4, 5].map((n) => "a".repeat(99_999) + n),
      `${"a".repeat(99_999)}3`,
      ["2 0 100000"],
    ],
    ["finds nothing of no strings", [], "abc", []],
    ["never finds the empty string", [""], "abc", []],
  ])("%s", (_rule, strings, text, expected) => {
    expect(places(strings, text)).toEqual(expected);
  });

  test("finds what looking everywhere finds", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "/", "é", "\ud83d"), maxLength: 6 });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "/", "é", "\ud83d"), maxLength: 60 });
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 8 }), text, (strings, within) => {
        expect(places(strings, within)).toEqual(naivePlaces(strings, within));
      }),
    );
  });

  test("finds no string that begins where none may, and what follows it", () => {
    const search = createStringSearch(["ab", "b"], { mayBegin: (_text, start) => start > 0 });
    expect(search("ab ab").map(({ start }) => start)).toEqual([1, 3, 4]);
  });
});
