import { expect, test } from "vitest";
import { type Difference, detectableRatio, differenceOf, verdictOf } from "./ask-statistics.ts";

const pairs = (owners: number) =>
  Array.from({ length: owners }, (_, at) => [
    { session: `owner${at}__repository__1.jsonl`, own: true, other: false, again: true },
    { session: `owner${at}__repository__2.jsonl`, own: at % 4 === 0, other: at % 2 === 0, again: null },
  ]).flat();

test("a difference counts what was gained and lost", () => {
  expect(differenceOf(pairs(4))).toEqual({
    calls: 8,
    gained: 4,
    lost: 1,
    ratio: 3 / 8,
    interval: null,
    // No answer of four changed: one of six is what that shows.
    detectableRatio: 2.8 * Math.sqrt(1 / 6 / 8),
  });
});

test("a difference has an interval with enough owners, which holds it", () => {
  const { ratio, interval } = differenceOf(pairs(8));
  expect(ratio).toBe(6 / 16);
  expect(interval?.from).toBeLessThan(6 / 16);
  expect(interval?.from).toBeGreaterThan(0);
  expect(interval?.through).toBeGreaterThan(6 / 16);
});

test("a difference of nothing is not known", () => {
  expect(differenceOf([])).toEqual({
    calls: 0,
    gained: 0,
    lost: 0,
    ratio: null,
    interval: null,
    detectableRatio: null,
  });
});

test.each([
  [100, 0.2, 0.1252],
  [400, 0.04, 0.028],
])("of %d calls, with %d of the answers changing, a difference shows from %d on", (calls, changed, ratio) => {
  expect(detectableRatio(calls, changed)).toBeCloseTo(ratio, 4);
});

const SEEN: Difference = {
  calls: 100,
  gained: 20,
  lost: 5,
  ratio: 0.15,
  interval: { from: 0.05, through: 0.25 },
  detectableRatio: 0.08,
};
test.each<[rule: string, seen: Partial<Difference>, verdict: ReturnType<typeof verdictOf>]>([
  ["an interval without 0", {}, "differ"],
  ["one below 0", { ratio: -0.15, interval: { from: -0.25, through: -0.05 } }, "differ"],
  ["one without 0, but no more than asking again gives by chance", { detectableRatio: 0.3 }, "not-enough-data"],
  ["one with 0, where 10 points would have shown", { ratio: 0.01, interval: { from: -0.05, through: 0.06 } }, "alike"],
  ["one with 0, where they would not", { interval: { from: -0.05, through: 0.3 }, detectableRatio: 0.11 }, "not-enough-data"],
  ["none", { interval: null }, "not-enough-data"],
  ["nothing asked", { ratio: null, interval: null, detectableRatio: null }, "not-enough-data"],
])("the verdict on %s", (_, seen, verdict) => {
  expect(verdictOf({ ...SEEN, ...seen })).toBe(verdict);
});
