import * as fc from "fast-check";
import { expect, test } from "vitest";
import { distribute } from "./measure-epoch.ts";

test.each([
  [10, [1, 1], [5, 5]],
  [10, [0, 0], [5, 5]],
  [7, [2, 1], [5, 2]],
  [0, [3, 4], [0, 0]],
  [5, [1, 0], [5, 0]],
])("%i over %j is %j", (total, weights, shares) => {
  expect(distribute(total, weights)).toEqual(shares);
});

test("shares are whole, never negative, and add up to the total", () => {
  const weights = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(fc.nat(1_000_000), weights, (total, given) => {
      const shares = distribute(total, given);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
      expect(shares.every((share) => Number.isInteger(share) && share >= 0)).toBe(true);
    }),
  );
});
