import { expect, test } from "vitest";
import { differenceOf, shareOf, wilsonInterval } from "./ask-statistics.ts";

// Figures: the worked examples of the Wilson score interval in Newcombe (1998), Statistics in Medicine 17, 857–872, table I.
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])("wilsonInterval of %d in %d", (agreed, of, from, through) => {
  const interval = wilsonInterval(agreed, of);
  expect(interval?.from).toBeCloseTo(from, 4);
  expect(interval?.through).toBeCloseTo(through, 4);
});

test("a share of nothing has no interval", () => {
  expect(shareOf([])).toEqual({ agreed: 0, of: 0, interval: null });
});

const pairs = (owners: number) =>
  Array.from({ length: owners }, (_, at) => [
    { session: `owner${at}__repository__1.jsonl`, own: true, other: false },
    { session: `owner${at}__repository__2.jsonl`, own: at % 4 === 0, other: at % 2 === 0 },
  ]).flat();

test("a difference counts what was gained and lost", () => {
  expect(differenceOf(pairs(4))).toEqual({ calls: 8, gained: 4, lost: 1, ratio: 3 / 8, interval: null });
});

test("a difference has an interval with enough owners, which holds it", () => {
  const { ratio, interval } = differenceOf(pairs(8));
  expect(ratio).toBe(6 / 16);
  expect(interval?.from).toBeLessThan(6 / 16);
  expect(interval?.from).toBeGreaterThan(0);
  expect(interval?.through).toBeGreaterThan(6 / 16);
});

test("a difference of nothing is not known", () => {
  expect(differenceOf([])).toEqual({ calls: 0, gained: 0, lost: 0, ratio: null, interval: null });
});
