import { describe, expect, test } from "vitest";
import { clusteredEstimate, FEWEST_OWNERS, geometricMeanOver, meanOver } from "./statistics.ts";

interface Item {
  readonly session: string;
  readonly amount: number;
}

const MEAN = meanOver<Item>(({ amount }) => amount);

/** Five items of each repository, each of an owner of its own. */
const items = (repositories: number, amountOf: (repository: number) => number): readonly Item[] =>
  Array.from({ length: 5 * repositories }, (_, place) => {
    const repository = place % repositories;
    return { session: `o${repository}__r__s${place}.jsonl`, amount: amountOf(repository) };
  });

describe("clusteredEstimate", () => {
  test("has no interval for fewer than eight owners", () => {
    const estimate = clusteredEstimate(
      items(FEWEST_OWNERS - 1, () => 1),
      MEAN,
    );
    expect(estimate).toEqual({ value: 1, interval: null, repositories: 7, owners: 7 });
  });

  test("counts an owner's repositories as one owner", () => {
    const one = Array.from({ length: 9 }, (_, place) => ({ session: `own__r${place}__s.jsonl`, amount: 1 }));
    expect(clusteredEstimate(one, MEAN)).toEqual({ value: 1, interval: null, repositories: 9, owners: 1 });
  });

  test("counts sessions that share a beginning as one, whatever folders they lie in", () => {
    const items = Array.from({ length: 9 }, (_, owner) => ({
      session: `folder-${owner}/s`,
      lineage: "folder-0/s",
      value: owner,
    }));
    const estimate = clusteredEstimate(
      items,
      meanOver<(typeof items)[number]>(({ value }) => value),
    );
    expect(estimate).toEqual({ value: 4, interval: null, repositories: 1, owners: 1 });
  });

  test("is a point if all repositories agree", () => {
    const { interval } = clusteredEstimate(
      items(8, () => 2),
      MEAN,
    );
    expect(interval).toEqual({ from: 2, through: 2 });
  });

  test("draws repositories and not items: the interval is as wide as their spread says", () => {
    const { value, interval } = clusteredEstimate(
      items(16, (repository) => repository % 2),
      MEAN,
    );
    expect(value).toBe(0.5);
    expect([interval?.from, interval?.through]).toEqual([expect.closeTo(0.25, 1), expect.closeTo(0.75, 1)]);
  });

  test("takes a geometric mean", () => {
    const { value, interval } = clusteredEstimate(
      items(8, (repository) => 10 ** (repository % 2)),
      geometricMeanOver(({ amount }) => amount),
    );
    expect([value, interval?.from]).toEqual([expect.closeTo(10 ** 0.5), expect.closeTo(10 ** 0.125)]);
  });

  test("gives the same twice", () => {
    const run = () =>
      clusteredEstimate(
        items(9, (repository) => repository),
        MEAN,
      );
    expect(run()).toEqual(run());
  });
});
