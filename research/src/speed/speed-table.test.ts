import { expect, test } from "vitest";
import { formatTable, speedTable } from "./speed-table.ts";

test("a stage has the middle of each file's rounds, the mean weighted by size, and both ends", () => {
  const samples = [
    { stage: "import", ratio: 9, of: "small", weight: 1 },
    { stage: "import", ratio: 2, of: "small", weight: 1 },
    { stage: "import", ratio: 4, of: "small", weight: 1 },
    { stage: "import", ratio: 2, of: "large", weight: 3 },
    { stage: "prepare", ratio: 120.4, of: "large", weight: 3 },
  ];
  expect(speedTable(samples).split("\n").slice(2)).toEqual([
    "| import | 2.50 | 2.00 (large) | 4.00 (small) |",
    "| prepare | 120 | 120 (large) | 120 (large) |",
    "",
  ]);
});

test("by format a stage has the mean of its files, and what is of no file is left out", () => {
  const samples = [
    { stage: "import", ratio: 4, of: "codex/one.jsonl", weight: 1 },
    { stage: "import", ratio: 2, of: "codex/two.jsonl", weight: 3 },
    { stage: "import", ratio: 1, of: "pi/one.jsonl", weight: 2 },
    { stage: "import", ratio: 9, of: "made", weight: 2 },
  ];
  expect(formatTable(samples).split("\n").slice(1)).toEqual([
    "| format | files | import |",
    "|---|---:|---:|",
    "| codex | 2 | 2.50 |",
    "| pi | 1 | 1.00 |",
    "",
  ]);
});
