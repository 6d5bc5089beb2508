import { expect, test } from "vitest";
import { confirmed, isSampled } from "./sampled-calls.ts";

test("ever fewer calls are sampled, the eighth first", () => {
  const sampled = Array.from({ length: 600 }, (_, call) => call).filter(isSampled);
  expect(sampled).toEqual([7, 31, 127, 511]);
});

test.each([
  ["the same in both forms", 31, [1, 2]],
  ["a call that is not sampled", 16, [3]],
])("%s is as it was found", (_, call, full) => {
  expect(confirmed("the size", call, { fast: [1, 2], full: () => full })).toEqual([1, 2]);
});

test("another answer of the full form is an error that says which call and what", () => {
  const forms = { fast: { tokens: 7 }, full: () => ({ tokens: 8 }) };
  expect(() => confirmed("the size", 127, forms)).toThrow(
    'the size of call 127 differs between what was followed ({"tokens":7}) and the full form ({"tokens":8})',
  );
});
