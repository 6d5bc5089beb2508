import { describe, expect, test } from "vitest";
import { linearAxis, xyChart } from "./xy-chart.ts";

describe("linearAxis", () => {
  test.each([
    ["goes from round number to round number", [3, 97], [0, 20, 40, 60, 80, 100]],
    ["begins at the values, not at zero", [61, 69.5], [60, 62, 64, 66, 68, 70]],
    ["has values that are all the same in its middle", [60, 60], [56, 58, 60, 62, 64]],
    ["has nothing above all of it", [100, 100], [95, 96, 97, 98, 99, 100]],
    ["has zeros at its beginning", [0, 0], [0, 1]],
  ])("%s", (_, values, ticks) => {
    const axis = linearAxis(values, [0, 100]);
    expect(axis.ticks.map((tick) => Number(tick.toPrecision(6)))).toEqual(ticks);
    expect(axis.at(ticks[0] ?? 0)).toBe(0);
    expect(axis.at(ticks.at(-1) ?? 0)).toBe(100);
  });
});

const chart = (points: readonly (readonly [number, number])[], labels = true) =>
  xyChart({
    title: "t",
    xTitle: "x",
    yTitle: "y",
    series: [
      {
        name: "s",
        colour: 1,
        points: points.map(([x, y], place) => ({ x, y, label: `policy-${place}`, title: "" })),
        isLine: false,
        labels,
      },
      { name: "others", colour: 2, points: [{ x: 50, y: 50, label: "", title: "" }], isLine: false, labels: false },
    ],
  }).markup;

const LETTER = 5.9;
interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}
const labelsIn = (markup: string): readonly Box[] =>
  [...markup.matchAll(/<text class="label[^"]*" text-anchor="(start|end)" x="([\d.]+)" y="([\d.]+)">([^<]*)</g)].map(
    ([, anchor, x = "", y = "", text = ""]) => {
      const width = text.length * LETTER;
      const left = anchor === "start" ? Number(x) : Number(x) - width;
      return { left, right: left + width, top: Number(y) - 10, bottom: Number(y) + 2 };
    },
  );
const pointsIn = (markup: string): readonly Box[] =>
  [...markup.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => {
    const [left, top] = [Number(x), Number(y)];
    return { left, right: left, top, bottom: top };
  });
const meets = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const covers = (a: Box, point: Box) => a.left < point.left && point.left < a.right && a.top < point.top && point.top < a.bottom;

describe("the labels of a chart", () => {
  const crowd = Array.from({ length: 40 }, (_, place) => [50 + (place % 7) * 0.4, 50 + Math.floor(place / 7) * 0.4] as const);

  test.each([
    [
      "far apart",
      [
        [0, 0],
        [100, 100],
      ],
    ],
    [
      "on one spot",
      [
        [50, 50],
        [50, 50],
        [50, 50],
      ],
    ],
    ["in a crowd", crowd],
  ] as const)("lie on no point and on no other label: %s", (_, points) => {
    const markup = chart(points);
    const [labels, marks] = [labelsIn(markup), pointsIn(markup)];
    expect(labels.length).toBeGreaterThan(0);
    expect(labels.filter((label) => marks.some((mark) => covers(label, mark)))).toEqual([]);
    expect(labels.flatMap((label, place) => labels.slice(place + 1).filter((other) => meets(label, other)))).toEqual([]);
  });

  test("are left out where there is no room, never laid over others", () => {
    expect(labelsIn(chart(Array.from({ length: 300 }, (_, place) => [place % 20, place / 20] as const))).length).toBeLessThan(
      300,
    );
  });
});

test("an axis of names has them at even distances, few enough for a phone, and a second ring is around the first", () => {
  const ring = (name: string) => ({
    ...{ name, colour: 2, isLine: false, labels: true, isMarked: true },
    points: [{ x: 1, y: 50, label: name, title: "" }],
  });
  const drawn = (count: number) =>
    xyChart({
      ...{ title: "t", xTitle: "cap", yTitle: "y", series: [ring("the answer"), ring("yours")] },
      xNames: Array.from({ length: count }, (_, place) => `${place}k`),
    }).markup;
  const named = (markup: string) => [...markup.matchAll(/text-anchor="middle" x="([\d.]+)" y="314">(\dk|\d\dk)</g)];
  expect(named(drawn(2)).map(([, x, name]) => [Number(x), name])).toEqual([
    [178, "0k"],
    [418, "1k"],
  ]);
  expect(named(drawn(20)).map(([, , name]) => name)).toEqual(["0k", "3k", "6k", "9k", "12k", "15k", "18k"]);
  expect([...drawn(2).matchAll(/class="ring c2" cx="418" cy="[\d.]+" r="(\d+)"/g)].map(([, radius]) => radius)).toEqual([
    "8",
    "12",
  ]);
});
