import { describe, expect, test } from "vitest";
import { COLUMNS } from "../terminal/printable.ts";
import { answerText } from "./answer-text.ts";
import type { QueryAnswer } from "./duckdb.ts";

const manyColumns = (count: number, value: (place: number) => unknown): QueryAnswer => ({
  columns: Array.from({ length: count }, (_, place) => `column_${place}`),
  rows: [Array.from({ length: count }, (_, place) => value(place))],
});
const LONG = `${"a".repeat(50)} and ${"z".repeat(50)}`;

describe("an answer", () => {
  test("that fits is a table", () => {
    const answer = {
      columns: ["policy", "usd"],
      rows: [
        ["none", 1.5],
        ["sven", null],
      ],
    };
    expect(answerText(answer, COLUMNS)).toEqual({ text: "policy usd\n──────────\nnone   1.5\nsven\n", isCut: false });
  });

  test("that does not fit has a line for each column, a record after another", () => {
    const file = "a/rather/long/folder/of-logs/session.jsonl";
    const answer = {
      columns: ["session", "file", "calls"],
      rows: [
        ["one", file, 1],
        ["two", "b", null],
      ],
    };
    expect(answerText(answer, 40)).toEqual({
      text: "session  one\nfile     a/rather/l…f-logs/session.jsonl\ncalls    1\n\nsession  two\nfile     b\ncalls\n",
      isCut: true,
    });
  });

  test.each([
    ["texts alone", manyColumns(3, () => LONG)],
    ["figures alone", manyColumns(40, () => 1 / 3)],
    ["both", manyColumns(260, (place) => (place % 2 === 0 ? LONG : place))],
    ["one name that is wider than the terminal", { columns: ["sum(a) ".repeat(20)], rows: [[1]] }],
    ["truth values, lists and nothing", manyColumns(30, (place) => [true, [1, 2], null][place % 3])],
  ])("of %s is no wider than the terminal and has every column", (_, answer) => {
    const lines = answerText(answer, COLUMNS).text.trimEnd().split("\n");
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(COLUMNS);
    expect(lines).toHaveLength(answer.columns.length);
  });

  test.each([
    ["of long texts in records", manyColumns(3, () => LONG), true],
    ["of a long text in a table", manyColumns(1, () => LONG), true],
    ["of short texts in records", manyColumns(20, () => "short"), false],
  ])("%s says whether something is cut", (_, answer, isCut) => {
    expect(answerText(answer, COLUMNS).isCut).toBe(isCut);
  });

  test.each([
    ["a table has its head", 2, "column_0 column_1\n─────────────────\n"],
    ["records say so", 20, "no rows\n"],
  ])("without rows: %s", (_, count, text) => {
    expect(answerText({ ...manyColumns(count, () => 0), rows: [] }, COLUMNS).text).toBe(text);
  });
});
