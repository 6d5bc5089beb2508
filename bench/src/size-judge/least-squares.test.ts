import { expect, test } from "vitest";
import { flooredRidge, ridge } from "./least-squares.ts";

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

const loose = (least: number) => ({ value: 0, strength: 1e-9, least });

test("floors that are below the minimum change nothing", () => {
  const made = rows.map((row) => ({ ...row, x: row.x.slice(0, 2), y: 2 * (row.x[0] ?? 0) + 5 * (row.x[1] ?? 0) }));
  const [first, second] = flooredRidge(made, [loose(1), loose(0)]);
  expect(first).toBeCloseTo(2, 4);
  expect(second).toBeCloseTo(5, 4);
});

test("a floor above it holds, and the others take their best values beside it", () => {
  // y = 2x − x' with x' ≥ 1: x' = 1, and x is fitted to y − x'
  const made = [1, 2, 3, 4].map((x) => ({ x: [x, 3 - (x % 2)], y: 2 * x - (3 - (x % 2)), weight: 1 }));
  const [first, second] = flooredRidge(made, [loose(0), loose(1)]);
  const best = made.reduce((sum, { x, y }) => sum + (x[0] ?? 0) * (y - (x[1] ?? 0)), 0) / 30;
  expect(second).toBe(1);
  expect(first).toBeCloseTo(best, 6);
});

test("a floored feature that never occurs stays at its prior", () => {
  expect(flooredRidge([], [{ value: 0.3, strength: 3, least: 0.1 }])).toEqual([0.3]);
});

test("without rows it answers with the priors", () => {
  expect(ridge([], [{ value: 0.3, strength: 3 }])).toEqual([0.3]);
});
