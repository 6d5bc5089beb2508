import { describe, expect, test } from "vitest";
import { areaUnderCurve, clusteredEstimate } from "./statistics.ts";

const cases = (scores: readonly (readonly [number, boolean])[]) => scores.map(([score, happened]) => ({ score, happened }));

describe("areaUnderCurve", () => {
  test.each<[string, readonly (readonly [number, boolean])[], number | null]>([
    [
      "1 if every case that came about scores higher",
      [
        [1, true],
        [0, false],
        [0.5, false],
      ],
      1,
    ],
    [
      "0 if every one scores lower",
      [
        [0, true],
        [1, false],
      ],
      0,
    ],
    [
      "a half if all score the same",
      [
        [1, true],
        [1, false],
        [1, true],
      ],
      0.5,
    ],
    [
      "ties count a half",
      [
        [1, true],
        [1, false],
        [0, false],
      ],
      0.75,
    ],
    ["nothing if none came about", [[1, false]], null],
    ["nothing if all came about", [[1, true]], null],
  ])("%s", (_, scores, expected) => {
    expect(areaUnderCurve(cases(scores))).toBe(expected);
  });
});

describe("clusteredEstimate", () => {
  const mean = (items: readonly { readonly value: number }[]) =>
    items.length === 0 ? null : items.reduce((sum, { value }) => sum + value, 0) / items.length;
  const items = (clusters: number, of: (cluster: number) => number) =>
    Array.from({ length: clusters * 3 }, (_, place) => ({ cluster: `${place % clusters}`, value: of(place % clusters) }));

  test("has no interval for fewer than eight clusters", () => {
    expect(
      clusteredEstimate(
        items(7, () => 1),
        ({ cluster }) => cluster,
        mean,
      ),
    ).toEqual({ value: 1, interval: null, clusters: 7 });
  });

  test("is a point if all clusters agree", () => {
    const { interval } = clusteredEstimate(
      items(8, () => 2),
      ({ cluster }) => cluster,
      mean,
    );
    expect(interval).toEqual({ from: 2, through: 2 });
  });

  test("draws clusters and not items: the interval is as wide as their spread says", () => {
    const { value, interval } = clusteredEstimate(
      items(16, (cluster) => cluster % 2),
      ({ cluster }) => cluster,
      mean,
    );
    expect(value).toBe(0.5);
    expect([interval?.from, interval?.through]).toEqual([expect.closeTo(0.25, 1), expect.closeTo(0.75, 1)]);
  });

  test("gives the same twice", () => {
    const run = () =>
      clusteredEstimate(
        items(9, (cluster) => cluster),
        ({ cluster }) => cluster,
        mean,
      );
    expect(run()).toEqual(run());
  });
});
