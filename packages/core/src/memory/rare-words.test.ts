import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryText } from "../testing/arbitrary-text.ts";
import { forEachRareWord, rareRuns } from "./rare-words.ts";

function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  forEachRareWord(text, (word) => words.push(word));
  return words;
}

describe("rare words", () => {
  test.each<[string, string, readonly string[]]>([
    ["plain words tell nothing", "the parser fails when called again", []],
    ["names with a capital inside do", "call parseHeader now", ["parseHeader"]],
    ["a capital at the beginning is a sentence's", "Then Open it", []],
    ["names with a digit, a hyphen or an underscore do", "use utf8 dry-run max_size", ["utf8", "dry-run", "max_size"]],
    ["hyphens around a word are no part of a name", "-- x - y -out-", []],
    ["a flag is the name behind its hyphens", "run --dry-run", ["--dry-run"]],
    ["long numbers and hashes do, short numbers do not", "42 of 1200 at a1b2c3d", ["1200", "a1b2c3d"]],
    ["a path does as a whole, and so do its rare pieces", "in src/best-lines.ts:12.", ["best-lines", "src/best-lines.ts:12"]],
    ["a dotted name does", "this.queue.close()", ["this.queue.close"]],
    ["joints at the ends are none", "/tmp/x, ./a.ts: and so on...", ["tmp/x", "a.ts"]],
    ["an escape parts words", String.raw`"a.ts\nb.ts\"c.ts"`, ["a.ts", "b.ts", "c.ts"]],
    ["what is joined has four characters at least", "or a.b of a.bc", ["a.bc"]],
    ["letters of other scripts are part of a name", "the über9 here", ["über9"]],
    ["a control character is not", "ab1\u007fcd2", ["ab1", "cd2"]],
    ["data is no name", `x${"y1".repeat(200)}`, []],
    ["nothing", "", []],
  ])("%s", (_, text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test("every word is where it is said to be, and is found alone too", () => {
    fc.assert(
      fc.property(arbitraryText, (text) => {
        forEachRareWord(text, (word, start) => {
          expect(text.startsWith(word, start)).toBe(true);
          expect(wordsOf(word)).toContain(word);
        });
      }),
    );
  });

  test("a stretch is read as if it were a text by itself", () => {
    fc.assert(
      fc.property(arbitraryText, fc.nat(), fc.nat(), (text, one, other) => {
        const [start = 0, end = 0] = [one % (text.length + 1), other % (text.length + 1)].toSorted((a, b) => a - b);
        const places = rareRuns(text, { start, end });
        const words = places.flatMap((place, at) => (at % 2 === 0 ? [text.slice(place, places[at + 1])] : []));
        expect(words).toEqual(wordsOf(text.slice(start, end)));
      }),
    );
  });
});
