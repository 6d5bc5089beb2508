import { createWorkCounter } from "@plimsoll/core/build";
import { human } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { createStatementIndex, createStatementReader } from "./statement-index.ts";

const LONG = `${"x".repeat(300)} key ${"y".repeat(300)}`;

describe("createStatementReader", () => {
  test.each([
    ["a line is taken without the white space around it", "one\n  a key b \ntwo", { window: "a key b", offset: 2 }],
    ["a carriage return is white space", "key=1\r\nnext", { window: "key=1", offset: 0 }],
    ["the last line needs no end", "one\nthe key", { window: "the key", offset: 4 }],
    ["of a long line a window is taken", LONG, { window: `${"x".repeat(77)} key ${"y".repeat(77)}`, offset: 78 }],
    ["a window ends where its line ends", `key ${"y".repeat(400)}\nnext`, { window: `key ${"y".repeat(77)}`, offset: 0 }],
  ])("%s", (_rule, text, expected) => {
    const start = text.indexOf("key");
    expect(createStatementReader(text)(start, start + 3)).toEqual(expected);
  });

  test("places of one text may share a line", () => {
    const at = createStatementReader(" key and key\nkey");
    expect([at(1, 4), at(9, 12), at(13, 16)]).toEqual([
      { window: "key and key", offset: 0 },
      { window: "key and key", offset: 8 },
      { window: "key", offset: 0 },
    ]);
  });
});

describe("createStatementIndex", () => {
  test("a line states the same wherever it is recorded, and the first message that has it is noted", () => {
    const index = createStatementIndex(["key", "lock"], createWorkCounter());
    const line = "the lock of a key and a lock";
    expect(index.add([`${line}\nno name`], 0)).toEqual({ references: [1, 0], statements: [1, 0] });
    expect(index.add(["a key", `  ${line}`], 1)).toEqual({ references: [0, 1], statements: [2, 1, 0] });
    expect(index.add([`${line}\n${line}\nkeyhole`], 2)).toEqual({ references: [1, 0], statements: [1, 0] });
    expect(index.statement(2)).toEqual({ window: "a key", offset: 2, reference: 0, firstOrdinal: 1 });
    expect([index.statementCount(), ...index.statementsOf(0)]).toEqual([3, 1, 2]);
    expect(index.scan(human("u", line))).toEqual({ references: [1, 0], statements: [0, 1, 2] });
  });

  test("a reference over two lines is found over two lines", () => {
    const index = createStatementIndex(["a\nb", "b c"], createWorkCounter());
    expect(index.add(["a\nb c\nd", "a\nb\n"], 0)).toEqual({ references: [0, 1], statements: [0, 1, 2] });
    expect(index.statement(0)?.window).toBe("a\nb c");
  });
});
