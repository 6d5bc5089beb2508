import { describe, expect, test } from "vitest";
import { createStatementReader } from "./statement-index.ts";

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
