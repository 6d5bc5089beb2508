import { describe, expect, test } from "vitest";
import { beginningOf, printable, shortened } from "./printable.ts";

describe("printable", () => {
  test.each([
    ["an escape sequence", "a\u001b[2Jb", "a\ufffd[2Jb"],
    ["line breaks", "a\r\nb", "a\ufffd\ufffdb"],
    ["a change of direction", "a\u202eb", "a\ufffdb"],
    ["other scripts as they are", "日本語 ünï", "日本語 ünï"],
  ])("shows %s", (_, text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

describe("shortened", () => {
  test.each([
    ["abcdef", 6, "abcdef"],
    ["abcdefghij", 7, "ab…ghij"],
    ["😀😀😀😀😀", 4, "😀…😀😀"],
  ])("%s to %i characters", (text, maximumChars, expected) => {
    expect(shortened(text, maximumChars)).toBe(expected);
  });
});

test.each([
  ["abc", 3, "abc"],
  ["one two three", 8, "one two…"],
  ["😀😀😀😀", 3, "😀😀…"],
])("the beginning of %s in %i characters", (text, maximumChars, expected) => {
  expect(beginningOf(text, maximumChars)).toBe(expected);
});
