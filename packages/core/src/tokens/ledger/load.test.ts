import { describe, expect, test } from "vitest";
import { content, load } from "../../testing/ledger-values.ts";
import { addCounts, addLoads, weighCounts, withContent } from "./load.ts";

describe("loads", () => {
  test("one more message: its characters, itself, its fixed tokens", () => {
    // 5 + 20 characters, 3 + 1 messages, 7 + 40 tokens
    expect(withContent(load(5, 3, 7), content(20), 40)).toEqual(load(25, 4, 47));
  });

  test("two loads add up", () => {
    expect(addLoads(load(5, 3, 7), load(20, 2, 40))).toEqual(load(25, 5, 47));
  });

  test.each<[string, readonly number[], readonly number[], readonly number[]]>([
    ["class by class", [1, 2], [10, 20], [11, 22]],
    ["a class that the other lacks counts as none", [1, 2], [10], [11, 2]],
  ])("counts add up: %s", (_, a, b, sum) => {
    expect(addCounts(a, b)).toEqual(sum);
  });

  test.each<[string, readonly number[], readonly number[], number]>([
    ["each count by its own weight: 2 × 10 + 3 × 100", [2, 3], [10, 100], 320],
    ["a class without a weight weighs nothing: 2 × 10", [2, 3], [10], 20],
    ["nothing weighs nothing", [], [10], 0],
  ])("weigh %s", (_, counted, weights, weighed) => {
    expect(weighCounts(counted, weights)).toBe(weighed);
  });
});
