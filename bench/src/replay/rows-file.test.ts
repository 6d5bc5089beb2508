import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { openRowsFile, type RowsOptions } from "./rows-file.ts";

const folder = freshFolder(beforeEach);

const [ONE, TWO] = ["1".repeat(64), "2".repeat(64)];
const path = () => folder("rows.jsonl");
const opened = (options?: RowsOptions) => openRowsFile(path(), "rows.jsonl", options);
/** Two rows, the second appended twice. */
function written(): string {
  const rows = opened();
  for (const [key, value] of [
    [ONE, { a: "ä" }],
    [TWO, 1],
    [TWO, { b: 2 }],
  ] as const)
    rows.append("row", key, value);
  rows.close();
  return readFileSync(path(), "utf8");
}

describe("a file of rows", () => {
  test("has the newest value of each key, when it is opened again too", () => {
    const text = written();
    expect(text.split("\n").map((line) => line.slice(0, 7))).toEqual([...Array(3).fill('{"v":1,'), ""]);
    const rows = opened({ isRead: true });
    expect([rows.read("row", ONE), rows.read("row", TWO), rows.read("file", ONE)]).toEqual([{ a: "ä" }, { b: 2 }, null]);
    expect([rows.keys("row"), rows.keys("result")]).toEqual([[ONE, TWO], []]);
    const grown = opened();
    grown.append("row", ONE, 3);
    expect([grown.keys("row"), opened({ isRead: true }).keys("row")]).toEqual([
      [TWO, ONE],
      [TWO, ONE],
    ]);
    grown.close();
  });

  test.each([
    ["the beginning of a line", (text: string) => `${text}{"v":1,"kind":"row","key":"${ONE}","va`],
    ["a byte of one", (text: string) => `${text}{`],
  ])("loses %s without its end, and goes on behind the last whole one", (_, cut) => {
    const text = written();
    writeFileSync(path(), cut(text));
    expect(opened({ isRead: true }).read("row", ONE)).toEqual({ a: "ä" });
    const rows = opened();
    expect(readFileSync(path(), "utf8")).toBe(text);
    rows.append("row", ONE, 3);
    expect([rows.read("row", ONE), rows.read("row", TWO)]).toEqual([3, { b: 2 }]);
  });

  test.each([
    ["of another version", `{"v":2,"kind":"row","key":"${ONE}","value":9}`, { a: "ä" }],
    ["that is damaged at its beginning", `{"kind":"row","key":"${ONE}","value":9}`, { a: "ä" }],
    ["that is damaged behind it", `{"v":1,"kind":"row","key":"${ONE}","value":9]`, null],
  ])("has no line %s", (_, line, value) => {
    written();
    appendFileSync(path(), `${line}\n`);
    const rows = opened();
    expect([rows.read("row", ONE), rows.read("row", TWO)]).toEqual([value, { b: 2 }]);
  });

  test.each<[string, string, RowsOptions, string]>([
    ["a folder", "", {}, "rows.jsonl: is a folder; give a row file"],
    ["not there", "absent.jsonl", { isRead: true }, "rows.jsonl: cannot be read (ENOENT"],
  ])("says so if it is %s", (_, name, options, line) => {
    expect(() => openRowsFile(folder(name), "rows.jsonl", options)).toThrow(line);
  });

  test("that holds something else is left as it is", () => {
    writeFileSync(path(), '{"type":"user"}\n{"type":"assist');
    expect(() => opened()).toThrow("rows.jsonl: cannot be written (it holds something else)");
    expect(readFileSync(path(), "utf8")).toBe('{"type":"user"}\n{"type":"assist');
  });

  test("that nobody named may fail: nothing is kept, and work goes on", () => {
    writeFileSync(folder("file"), "");
    const rows = openRowsFile(folder("file/rows.jsonl"), "rows", { isSpare: true });
    rows.append("row", ONE, 1);
    expect([rows.read("row", ONE), rows.keys("row")]).toEqual([null, []]);
  });
});
