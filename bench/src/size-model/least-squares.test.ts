import { expect, test } from "vitest";
import { ridge } from "./least-squares.ts";

const rows = Array.from({ length: 40 }, (_, index) => ({ x: [index, 3 + (index % 7), 0], weight: 1 }));

test("finds the coefficients that made the rows, and leaves a feature that never occurs at its prior", () => {
  const made = rows.map((row) => ({ ...row, y: 2 * (row.x[0] ?? 0) + 5 * (row.x[1] ?? 0) }));
  const [first, second, third] = ridge(made, [
    { value: 0, strength: 1e-9 },
    { value: 0, strength: 1e-9 },
    { value: 0.7, strength: 3 },
  ]);
  expect(first).toBeCloseTo(2, 4);
  expect(second).toBeCloseTo(5, 4);
  expect(third).toBeCloseTo(0.7, 6);
});

test("without rows it answers with the priors", () => {
  expect(ridge([], [{ value: 0.3, strength: 3 }])).toEqual([0.3]);
});
