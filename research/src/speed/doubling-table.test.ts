import { expect, test } from "vitest";
import { doublingTable, halvesTable } from "./doubling-table.ts";

test("a doubled session's time is parted into what was to do and what each took, by the middle of the rounds", () => {
  const replayed = { stage: "replay", messages: 300, short: { calls: 50, cuts: 10 }, long: { calls: 100, cuts: 40 } };
  const uncut = { stage: "replay uncut", messages: 300, short: { calls: 50, cuts: 0 }, long: { calls: 100, cuts: 3 } };
  const table = doublingTable([
    ...[5, 4, 9].map((ratio) => ({ ...replayed, ratio })),
    { ...uncut, ratio: 2 },
    { stage: "prepare", messages: 300, short: null, long: null, ratio: 2.04 },
    { ...replayed, messages: 600, ratio: 8 },
  ]);
  expect(table.split("\n").slice(2)).toEqual([
    "| replay | 300 | 5.0 | 2.0 | 10 → 40 | 4.0 | 2.5 | 1.3 |",
    "| replay uncut | 300 | 2.0 | 2.0 | 0 → 3 |  | 1.0 |  |",
    "| prepare | 300 | 2.0 |  |  |  |  |  |",
    "| replay | 600 | 8.0 | 2.0 | 10 → 40 | 4.0 | 4.0 | 2.0 |",
    "",
  ]);
});

test("recorded sessions count the same each, and cuts where both halves have some", () => {
  const replayed = { stage: "replay", messages: 300, short: { calls: 50, cuts: 0 }, long: { calls: 100, cuts: 4 }, ratio: 1 };
  const cut = { ...replayed, messages: 80, short: { calls: 10, cuts: 2 }, long: { calls: 20, cuts: 8 }, ratio: 4 };
  const table = halvesTable([replayed, cut, { stage: "prepare", messages: 80, short: null, long: null, ratio: 2 }]);
  expect(table.split("\n").slice(2)).toEqual([
    "| replay | 2 | 2.0 | 4.0 | 4.0 | 2.0 | 1 | 4.0 |",
    "| prepare | 1 | 2.0 | 2.0 | 2.0 |  | 0 |  |",
    "",
  ]);
});
