import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createStringSearch } from "./string-search.ts";

function places(strings: readonly string[], text: string): readonly string[] {
  const { strings: found, starts, ends } = createStringSearch(strings).find(text);
  return found.map((string, place) => `${string} ${starts[place]} ${ends[place]}`).sort();
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
    ["finds nothing of no strings", [], "abc", []],
    ["never finds the empty string", [""], "abc", []],
  ])("%s", (_rule, strings, text, expected) => {
    expect(places(strings, text)).toEqual(expected);
  });

  test("finds what looking everywhere finds", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "/", "é", "\ud83d"), maxLength: 6 });
    const text = fc.string({ unit: fc.constantFrom("a", "b", "/", "é", "\ud83d"), maxLength: 60 });
    // A text of a hundred units and more is read in another way.
    const before = fc.constantFrom("", "-".repeat(120));
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 8 }), before, text, (strings, start, end) => {
        expect(places(strings, start + end)).toEqual(naivePlaces(strings, start + end));
      }),
    );
  });

  test("finds no string that begins where none may, and what follows it", () => {
    const search = createStringSearch(["ab", "b"], { mayBegin: (_text, start) => start > 0 });
    expect(search.find("ab ab").starts.toSorted()).toEqual([1, 3, 4]);
  });

  test("steps at most twice the text and the places, whatever the strings share", () => {
    const strings = ["a/".repeat(99), "a/".repeat(99).concat("b"), "/a/a/a/a/c"];
    const text = "a/".repeat(2 ** 19);
    const { steps, ends } = createStringSearch(strings).find(text);
    expect(steps).toBeLessThanOrEqual(2 * text.length + ends.length);
  });
});
