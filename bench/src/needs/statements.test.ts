import { human } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { createStatementIndex, lineAround, NO_LINE, statementIn } from "./statements.ts";

const LONG = `${"x".repeat(300)} key ${"y".repeat(300)}`;

describe("statementIn", () => {
  test.each([
    ["a line is taken without the white space around it", "one\n  a key b \ntwo", { window: "a key b", offset: 2 }],
    ["a carriage return is white space", "key=1\r\nnext", { window: "key=1", offset: 0 }],
    ["the last line needs no end", "one\nthe key", { window: "the key", offset: 4 }],
    ["of a long line a window is taken", LONG, { window: `${"x".repeat(77)} key ${"y".repeat(77)}`, offset: 78 }],
    ["a window ends where its line ends", `key ${"y".repeat(400)}\nnext`, { window: `key ${"y".repeat(77)}`, offset: 0 }],
  ])("%s", (_rule, text, expected) => {
    const start = text.indexOf("key");
    const place = { start, end: start + 3 };
    expect(statementIn(text, place, lineAround(text, place, NO_LINE))).toEqual(expected);
  });

  test("places of one text may share a line", () => {
    const text = " key and key\nkey";
    const first = lineAround(text, { start: 1, end: 4 }, NO_LINE);
    expect(lineAround(text, { start: 9, end: 12 }, first)).toBe(first);
    expect(statementIn(text, { start: 9, end: 12 }, first)).toEqual({ window: "key and key", offset: 8 });
    expect(lineAround(text, { start: 13, end: 16 }, first)).toEqual({ from: 13, through: 16, window: "key" });
  });
});

describe("createStatementIndex", () => {
  test("a line states the same wherever it is recorded, and the first message that has it is noted", () => {
    const index = createStatementIndex(["key", "lock"]);
    const line = "the lock of a key and a lock";
    expect(index.add([`${line}\nno name`], 0)).toEqual({ references: [1, 0], statements: [1, 0] });
    expect(index.add(["a key", `  ${line}`], 1)).toEqual({ references: [0, 1], statements: [2, 1, 0] });
    expect(index.add([`${line}\n${line}\nkeyhole`], 2)).toEqual({ references: [1, 0], statements: [1, 0] });
    expect(index.statement(2)).toEqual({ window: "a key", offset: 2, reference: 0, firstOrdinal: 1 });
    expect([index.statementCount(), ...index.statementsOf(0)]).toEqual([3, 1, 2]);
    expect(index.scan(human("u", line))).toEqual({ references: [1, 0], statements: [0, 1, 2] });
  });

  test("a reference over two lines is found over two lines", () => {
    const index = createStatementIndex(["a\nb", "b c"]);
    expect(index.add(["a\nb c\nd", "a\nb\n"], 0)).toEqual({ references: [0, 1], statements: [0, 1, 2] });
    expect(index.statement(0)?.window).toBe("a\nb c");
  });
});
