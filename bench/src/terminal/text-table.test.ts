import { describe, expect, test } from "vitest";
import { tableRows } from "../show/report-table.ts";
import { COLUMNS } from "./printable.ts";
import { brokenAt, drawTable, type TextTable } from "./text-table.ts";

const number = "1234567890";

function table(label: string, columns: number): TextTable {
  const group = Math.floor(columns / 2);
  return {
    head: [
      [
        { content: "" },
        { content: "one", span: group, align: "center" },
        { content: "two", span: columns - group, align: "center" },
      ],
      ["name", ...Array.from({ length: columns }, (_, index) => `n${index}`)].map((content) => ({ content })),
    ],
    rows: [[label, ...Array.from({ length: columns }, () => number)]],
    leftColumns: [0],
  };
}

const linesOf = (text: string) => text.split("\n");

describe("a table", () => {
  test("that fits is drawn as it is", () => {
    expect(linesOf(drawTable(table("short", 2), COLUMNS))).toEqual([
      "         one        two",
      "name          n0         n1",
      "───────────────────────────",
      "short 1234567890 1234567890",
    ]);
  });

  test("that is a little too wide gets its labels broken between words", () => {
    expect(linesOf(drawTable(table("a label of several words", 6), COLUMNS)).slice(3)).toEqual([
      "a label of    1234567890 1234567890 1234567890 1234567890 1234567890 1234567890",
      "several words",
    ]);
    const labels = linesOf(drawTable(table("plimsoll keep.my-own-failed-tests=10%", 5), COLUMNS)).slice(3);
    expect(labels.map((line) => line.replace(/ 123.*/, ""))).toEqual(["plimsoll keep.my-own-", "failed-tests=10%"]);
  });

  test("that is far too wide stands in parts, divided between groups, each with its labels", () => {
    const drawn = linesOf(drawTable(table("name", 10), COLUMNS));
    expect(drawn.filter((line) => line.startsWith("name  "))).toEqual([
      "name         n0         n1         n2         n3         n4",
      "name         n5         n6         n7         n8         n9",
    ]);
    expect(drawn.filter((line) => line.includes(number))).toHaveLength(2);
  });

  test("stands whole in a terminal that is wide enough for it", () => {
    const wide = table("name", 10);
    expect(drawTable(wide, 114).split(number)).toHaveLength(11);
    expect(linesOf(drawTable(wide, 114))).toHaveLength(4);
    expect(linesOf(drawTable(wide, 113)).length).toBeGreaterThan(4);
  });

  test.each([1, 5, 9, 20, 40])("of %i columns fits 80 columns and shows every figure", (columns) => {
    const drawn = drawTable(table("an example of a rather long label, for a test", columns), COLUMNS);
    expect(Math.max(...linesOf(drawn).map((line) => [...line].length))).toBeLessThanOrEqual(80);
    expect(drawn.split(number)).toHaveLength(columns + 1);
    expect(drawn).toContain(`n${columns - 1}`);
  });
});

describe("a table of texts alone that is too wide", () => {
  const CHARS = 30;
  const valuesOf = (columns: number) => Array.from({ length: columns }, (_, index) => `v${index}`.padEnd(CHARS, "."));

  test.each([
    ["one column", 1, [0]],
    ["three columns", 3, [0, 1, 2]],
    ["seven columns", 7, [0, 1, 2, 3, 4, 5, 6]],
    ["texts that leave no room for a figure", 4, [0, 1, 2]],
  ])("shows every value of %s", (_rule, columns, leftColumns) => {
    const values = valuesOf(columns);
    const head = values.map((_value, index) => ({ content: `n${index}`.padEnd(columns === 1 ? COLUMNS + 1 : 2, "!") }));
    const drawn = drawTable({ head: [head], rows: [values], leftColumns }, COLUMNS);
    expect(values.filter((_value, index) => !drawn.includes(`v${index}.`) || !drawn.includes(`n${index}`))).toEqual([]);
  });

  test("stands in parts that fit, each with the first column", () => {
    const values = valuesOf(5);
    const head = values.map((_value, index) => ({ content: `n${index}` }));
    const lines = linesOf(drawTable({ head: [head], rows: [values], leftColumns: [0, 1, 2, 3, 4] }, COLUMNS));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(COLUMNS);
    expect(lines.filter((line) => line.startsWith("n0"))).toHaveLength(4);
  });
});

test("names that differ in their middle stay whole", () => {
  const names = ["one", "two"].map((word) => `${"a".repeat(20)}-${word}-${"b".repeat(30)}`);
  const drawn = tableRows({ rowTitle: "name", heads: [], rows: names.map((name) => ({ name, cells: [] })) }, COLUMNS);
  expect(linesOf(drawn).slice(2)).toEqual(names);
});

test.each([
  ["keeps a text that is short enough", "one two", 7, "one two"],
  ["breaks between words", "one two three", 7, "one two\nthree"],
  ["breaks a word that is too long behind its signs", "an-agent-2.1.20* on", 9, "an-agent-\n2.1.20*\non"],
  ["breaks a word without signs anywhere", "abcdefghijkl", 5, "abcde\nfghij\nkl"],
])("brokenAt %s", (_rule, text, chars, broken) => {
  expect(brokenAt(text, chars)).toBe(broken);
});
