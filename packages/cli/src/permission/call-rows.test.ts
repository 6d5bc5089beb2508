import { expect, test } from "vitest";
import { changeOf, cutRows } from "./call-rows.ts";

const rows = (before: string | null, after: string | null) => changeOf(before, after).map(({ text }) => text);
const lines = (...numbers: readonly number[]) => numbers.map((number) => `line ${number}\n`).join("");

test.each<readonly [string, string | null, string | null, readonly string[]]>([
  ["a new file comes whole", null, "a\nb\n", ["+ a", "+ b"]],
  ["a piece goes and another comes", "old", "new", ["- old", "+ new"]],
  ["a piece goes", "old\n", "", ["- old"]],
  ["an empty file comes", null, "", []],
  ["nothing changes", "a\n", "a\n", []],
  ["only the last line's end changes", "a", "a\n", ["(no line changes)"]],
  [
    "three lines around it stay",
    lines(1, 2, 3, 4, 5, 6, 7, 8, 9),
    lines(1, 2, 3, 4, 50, 6, 7, 8, 9),
    ["(line 2)", "  line 2", "  line 3", "  line 4", "- line 5", "+ line 50", "  line 6", "  line 7", "  line 8"],
  ],
  ["lines that repeat are not counted twice", "a\na\n", "a\na\na\n", ["  a", "  a", "+ a"]],
  ["what comes before the first line", "b\n", "a\nb\n", ["+ a", "  b"]],
])("%s", (_what, before, after, expected) => {
  expect(rows(before, after)).toEqual(expected);
});

test.each([
  ["breaks at the width", "abcdef", ["abcd", "ef"]],
  ["counts wide characters twice", "日本語", ["日本", "語"]],
  ["is one row if it is empty", "", [""]],
])("a line %s", (_what, line, rows) => {
  expect(cutRows(line, 4)).toEqual(rows);
});
