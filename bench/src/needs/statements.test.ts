import { describe, expect, test } from "vitest";
import { createStatementIndex, lineAround, NO_LINE, statementIn } from "./statements.ts";

const LONG = `${"x".repeat(300)} key ${"y".repeat(300)}`;

describe("statementIn", () => {
  test.each([
    ["a line is taken without the white space around it", "one\n  a key b \ntwo", "a key b"],
    ["a carriage return is white space", "key=1\r\nnext", "key=1"],
    ["the last line needs no end", "one\nthe key", "the key"],
    ["of a long line a window is taken", LONG, `${"x".repeat(77)} key ${"y".repeat(77)}`],
    ["a window ends where its line ends", `key ${"y".repeat(400)}\nnext`, `key ${"y".repeat(77)}`],
  ])("%s", (_rule, text, expected) => {
    const start = text.indexOf("key");
    const place = { start, end: start + 3 };
    expect(statementIn(text, place, lineAround(text, place, NO_LINE))).toBe(expected);
  });

  test("places of one text may share a line", () => {
    const text = " key and key\nkey";
    const first = lineAround(text, { start: 1, end: 4 }, NO_LINE);
    expect(lineAround(text, { start: 9, end: 12 }, first)).toBe(first);
    expect(statementIn(text, { start: 9, end: 12 }, first)).toBe("key and key");
    expect(lineAround(text, { start: 13, end: 16 }, first)).toEqual({ from: 13, through: 16, window: "key" });
  });
});

describe("createStatementIndex", () => {
  test("a line states the same wherever it is recorded", () => {
    const index = createStatementIndex(["key", "lock"]);
    const line = "the lock of a key and a lock";
    expect(index.add([`${line}\nno name`])).toEqual([1, 0]);
    expect(index.add(["a key", `  ${line}`])).toEqual([2, 1, 0]);
    expect(index.add([`${line}\n${line}\nkeyhole`])).toEqual([1, 0]);
    expect([index.windowOf(2), index.referenceOf(2), index.statementCount()]).toEqual(["a key", 0, 3]);
  });

  test("a reference over two lines is found over two lines", () => {
    const index = createStatementIndex(["a\nb", "b c"]);
    expect(index.add(["a\nb c\nd", "a\nb\n"])).toEqual([0, 1, 2]);
    expect(index.windowOf(0)).toBe("a\nb c");
  });
});
