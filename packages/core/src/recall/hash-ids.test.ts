import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHashIds, idOf } from "./hash-ids.ts";

describe("numbers for hashes", () => {
  test("each has one from 1 on, in the order in which they came first, and keeps it", () => {
    const hash = fc.oneof(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), fc.integer({ min: 1, max: 40 }));
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 3000 }), (hashes) => {
        const distinct = [...new Set(hashes)].filter((each) => each !== 0);
        const ids = createHashIds();
        expect(hashes.map((each) => idOf(ids, each))).toEqual(hashes.map((each) => distinct.indexOf(each) + 1));
      }),
      { numRuns: 30 },
    );
  });

  test("a thousand that lie close together are told apart", () => {
    const ids = createHashIds();
    const hashes = Array.from({ length: 1000 }, (_, index) => (index + 1) * 2 ** 20);
    const first = hashes.map((hash) => idOf(ids, hash | 0));
    expect(new Set(first).size).toBe(1000);
    expect(hashes.map((hash) => idOf(ids, hash | 0))).toEqual(first);
  });

  test("0 says nothing, and stays 0", () => {
    expect(idOf(createHashIds(), 0)).toBe(0);
  });
});
