import { expect, test } from "vitest";
import { type ProgramRow, programSection } from "./program-rows.ts";

const NOTHING = { calls: 10, compactions: 0, overflows: 0, lost: 0, promptTokens: 0 };
const row = (program: string, lost: number, ours: number): ProgramRow => ({
  program,
  runs: `${program}@1.0.0`,
  total: { ...NOTHING, compactions: 4, lost, promptTokens: 2_000_000 },
  likeness: { name: `${program} (as published)`, total: { ...NOTHING, compactions: 3, lost: ours, promptTokens: 2_500_000 } },
});
const OF = { sessions: 2, files: 1, room: "64k" };

test("what loses most calls stands first, with its likeness and the difference below it", () => {
  const table = programSection([row("a", 1, 0), row("b", 7, 9)], OF)
    .split("\n")
    .slice(-6);
  expect(table).toEqual([
    "| **b**, b@1.0.0 | 4 | 0 | 7 | 2.0M |",
    "| b (as published) | 3 | 0 | 9 | 2.5M |",
    "| likeness − program | −1 | 0 | +2 | +25 % |",
    "| **a**, a@1.0.0 | 4 | 0 | 1 | 2.0M |",
    "| a (as published) | 3 | 0 | 0 | 2.5M |",
    "| likeness − program | −1 | 0 | −1 | +25 % |",
  ]);
});
