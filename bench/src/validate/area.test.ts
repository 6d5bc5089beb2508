import { describe, expect, test } from "vitest";
import { AREA, type Scored } from "./area.ts";

/** The definition itself: all pairs of a case that came about and one that did not. */
function slowArea(cases: readonly Scored[]): number {
  const pairs = cases.flatMap((one) => cases.map((other) => [one, other] as const));
  const asked = pairs.filter(([one, other]) => one.happened && !other.happened);
  const wins = asked.reduce((sum, [one, other]) => sum + (1 + Math.sign(one.score - other.score)) / 2, 0);
  return wins / asked.length;
}

function areaOf(cases: readonly Scored[]): number | null {
  const sums = new Float64Array(AREA.width);
  for (const each of cases) AREA.add(each, sums);
  return AREA.figure(sums);
}

const cases = (scores: readonly number[], happened: readonly number[]): readonly Scored[] =>
  scores.map((score, place) => ({ score, happened: happened[place] === 1 }));

describe("AREA", () => {
  test.each([
    ["a score that is always higher", cases([0, 0.1, 0.9, 1], [0, 0, 1, 1]), 1],
    ["a score that is always lower", cases([1, 0.9, 0.1, 0], [0, 0, 1, 1]), 0],
    ["one score for all", cases([0.5, 0.5, 0.5], [0, 1, 0]), 0.5],
    ["nothing that came about", cases([0, 1], [0, 0]), null],
    ["all that came about", cases([0, 1], [1, 1]), null],
  ])("%s", (_, given, expected) => {
    expect(areaOf(given)).toBe(expected);
  });

  test("is what all pairs say", () => {
    const many = Array.from({ length: 60 }, (_, place) => ({ score: ((place * 37) % 11) / 10, happened: (place * 7) % 5 < 2 }));
    expect(areaOf(many)).toBeCloseTo(slowArea(many), 12);
  });
});
