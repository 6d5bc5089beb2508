import fc from "fast-check";
import { expect, test } from "vitest";
import { createSharing } from "./equal-parts.ts";

test("equal parts of several values become one object, and other ones stay their own", () => {
  const share = createSharing();
  const first = {
    a: { held: 0, uses: 1 },
    list: [
      { held: 0, uses: 1 },
      { held: 2, uses: 3 },
    ],
  };
  const second = {
    b: { held: 0, uses: 1 },
    list: [
      { held: 0, uses: 1 },
      { held: 2, uses: 3 },
    ],
    other: { uses: 1, held: 0 },
  };
  const before = structuredClone([first, second]);
  for (const value of [first, second]) share(value);
  expect([first, second]).toEqual(before);
  expect(first.list[0]).toBe(first.a);
  expect(second.b).toBe(first.a);
  expect(second.list).toBe(first.list);
  // The order of fields is part of a report's bytes.
  expect(second.other).not.toBe(first.a);
  expect(JSON.stringify([first, second])).toBe(JSON.stringify(before));
});

test("values that are not alike stay apart", () => {
  const share = createSharing();
  const values = [
    { x: [0] },
    { x: [-0] },
    { x: ["0"] },
    { x: [null] },
    { x: [undefined] },
    { x: [Number.NaN] },
    { x: { 0: 0 } },
    { x: [[]] },
    { x: [true] },
  ];
  const before = structuredClone(values);
  for (const value of values) share(value);
  expect(values).toEqual(before);
  expect(new Set(values.map(({ x }) => x)).size).toBe(values.length);
});

test("a field may have any name", () => {
  const share = createSharing();
  const values = ['{"__proto__": {"a": 1}}', '{"__proto__": {"a": 1}, "constructor": {"a": 1}}'].map((json): unknown =>
    JSON.parse(json),
  );
  const before = JSON.stringify(values);
  for (const value of values) share(value);
  expect(JSON.stringify(values)).toBe(before);
});

test("whatever is shared reads as it did", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.dictionary(fc.string(), fc.anything({ values: [fc.string(), fc.double(), fc.integer(), fc.constant(null)] })),
      ),
      (values) => {
        const before = structuredClone(values);
        const share = createSharing();
        for (const value of values) share(value);
        expect(values).toEqual(before);
      },
    ),
  );
});
