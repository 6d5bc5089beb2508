import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { largestFirst } from "./largest-first.ts";

const value = fc.oneof(fc.double({ min: -2, max: 9 }), fc.integer({ min: -1, max: 3 }), fc.constant(Number.POSITIVE_INFINITY));

describe("the largest first", () => {
  test("are the places of the positive values in the order of a sort", () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), (values) => {
        const places = [...values.keys()].filter((at) => (values[at] ?? 0) > 0);
        // Infinity less itself is no number, so equals are told first.
        const order = (a: number, b: number) => (values[a] === values[b] ? b - a : (values[b] ?? 0) - (values[a] ?? 0));
        expect([...largestFirst(Float64Array.from(values))]).toEqual(places.sort(order));
      }),
    );
  });

  test("what is no number is left out", () => {
    expect([...largestFirst(Float64Array.of(Number.NaN, 2, Number.NaN, 3))]).toEqual([3, 1]);
  });
});
