import { expect, test } from "vitest";
import { movedRows } from "./moved-rows.mjs";

test.each([
  ["nothing moved", { a: { cost: 1 } }, { a: { cost: 1 } }, []],
  ["sums in another order", { a: { cost: 0.3 } }, { a: { cost: 0.1 + 0.2 } }, []],
  ["a figure rose", { a: { cost: 2, lost: 0 } }, { a: { cost: 3, lost: 0 } }, ["a: cost 2 → 3 (+50.0 %)"]],
  ["a figure fell to nothing", { a: { cost: 2 } }, { a: { cost: 0 } }, ["a: cost 2 → 0 (−100.0 %)"]],
  ["a figure is no longer known", { a: { cost: 2 } }, { a: { cost: null } }, ["a: cost 2 → none"]],
  ["something else of a row did", { a: { cost: 1, bytes: "0f" } }, { a: { cost: 1, bytes: "1e" } }, ["a: bytes 0f → 1e"]],
  ["a row came and one went", { a: { cost: 1 } }, { b: { cost: 1 } }, ["a: gone", "b: new"]],
])("says what moved if %s", (_, before, after, lines) => {
  expect(movedRows(before, after)).toEqual(lines);
});
