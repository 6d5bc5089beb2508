import { expect, test } from "vitest";
import { lineDiff } from "./apply-advice.ts";

const HEAD = ["--- f", "+++ f"];

test.each<readonly [string, string, string, readonly string[]]>([
  ["nothing", "a\nb\n", "a\nb\n", []],
  ["a new file", "", "a\nb\n", [...HEAD, "@@ -1,0 +1,2 @@", "+a", "+b"]],
  ["a removed file", "a\n", "", [...HEAD, "@@ -1,1 +1,0 @@", "-a"]],
  ["a line more", "a\nb\nc\nd\n", "a\nb\nx\nc\nd\n", [...HEAD, "@@ -1,4 +1,5 @@", " a", " b", "+x", " c", " d"]],
  ["a line like its neighbours", "a\na\n", "a\na\na\n", [...HEAD, "@@ -1,2 +1,3 @@", " a", " a", "+a"]],
  ["another line", "a\nb\nc\n", "a\nx\nc\n", [...HEAD, "@@ -1,3 +1,3 @@", " a", "-b", "+x", " c"]],
  [
    "two lines around it",
    "1\n2\n3\n4\n5\n6\n7\n",
    "1\n2\n3\nx\n5\n6\n7\n",
    [...HEAD, "@@ -2,5 +2,5 @@", " 2", " 3", "-4", "+x", " 5", " 6"],
  ],
  ["what could steer the terminal", "", "a\u001b[2J\r\n", [...HEAD, "@@ -1,0 +1,1 @@", "+a\\e[2J"]],
])("shows %s", (_, before, after, lines) => {
  expect(lineDiff("f", before, after)).toEqual(lines);
});

test("long lines are cut at 80 columns", () => {
  expect(Math.max(...lineDiff("f", "", `${"x".repeat(200)}\n`).map(({ length }) => length))).toBe(80);
});
