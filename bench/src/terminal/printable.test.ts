import { describe, expect, test } from "vitest";
import { beginningOf, escaped, printable, shortened, tableColumns, wrapped } from "./printable.ts";

describe("printable", () => {
  test.each([
    ["an escape sequence", "a\u001b[2Jb", "a\ufffd[2Jb"],
    ["line breaks", "a\r\nb", "a\ufffd\ufffdb"],
    ["tabs as spaces", "\ta\tb", " a b"],
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

describe("escaped", () => {
  test.each([
    ["an escape sequence", "a\u001b[2K\u001b[1Ab", "a\\e[2K\\e[1Ab"],
    ["a return to the line's beginning", "rm -rf x\rls", "rm -rf x\\rls"],
    ["a line break", "a\nb", "a\\nb"],
    ["a bell and a backspace", "a\u0007\b", "a\\u{7}\\u{8}"],
    ["C1 controls", "\u009b2J", "\\u{9b}2J"],
    ["marks of direction", "\u202etxt\u2066\u200f", "\\u{202e}txt\\u{2066}\\u{200f}"],
    ["what has no width", "a\u200bb\u2060\ufeff\u00ad\u034f", "a\\u{200b}b\\u{2060}\\u{feff}\\u{ad}\\u{34f}"],
    ["tags that spell unseen words", "\u{e0041}", "\\u{e0041}"],
    ["blanks that are not the space", "a\u00a0b\u3000\u3164\u2800", "a\\u{a0}b\\u{3000}\\u{3164}\\u{2800}"],
    ["separators of lines", "a\u2028b\u2029", "a\\u{2028}b\\u{2029}"],
    ["half of a pair", "a\ud800b", "a\\u{d800}b"],
    ["a tab as four spaces", "a\tb", "a    b"],
    ["other scripts as they are", "日本語 ünï 😀", "日本語 ünï 😀"],
  ])("shows %s", (_what, text, expected) => {
    expect(escaped(text)).toBe(expected);
  });
});

test.each([
  ["a short text", "one two", ["- one two"]],
  [
    "a long one",
    `${"word ".repeat(20)}end`,
    [`- ${"word ".repeat(15)}word`.slice(0, 76).trimEnd(), `  ${"word ".repeat(5)}end`],
  ],
  ["a word longer than a line", `a ${"x".repeat(90)} b`, ["- a", `  ${"x".repeat(90)}`, "  b"]],
  ["nothing", "", ["- "]],
])("%s", (_what, text, lines) => {
  expect(wrapped(text, { first: "- ", further: "  " })).toEqual(lines);
});

test.each([
  ["a pipe", { columns: 200 }, 80],
  ["a wide terminal", { isTTY: true, columns: 200 }, 200],
  ["a narrow terminal", { isTTY: true, columns: 60 }, 80],
  ["a terminal that does not say", { isTTY: true }, 80],
])("tables for %s", (_, output, columns) => {
  expect(tableColumns({ write: () => undefined, ...output })).toBe(columns);
});

test.each([
  ["name\u200b", "name"],
  ["na\u00adme", "name"],
  ["\ufeffname", "name"],
  ["name\u{e0041}", "name"],
  ["n\u0336ame", "name"],
  ["\u202eeman", "eman"],
])("the entries %j and %j of a list do not look alike", (one, other) => {
  expect(printable(one)).toContain("\ufffd");
  expect(printable(one).split("\ufffd").join("")).toBe(other);
});
