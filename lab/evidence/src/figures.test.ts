import { expect, test } from "vitest";
import { answersPage } from "./answers.ts";
import { areaWithin, pairsWithin } from "./area.ts";
import { OLDEST_AGE } from "./exposures.ts";
import { outcomePage, pricePage } from "./figures.ts";
import { aboveLength, lengthThirds } from "./outcomes.ts";
import { powerOfArea, powerOfRatio } from "./power.ts";
import { atLine, maskedByUnmasked, stepAt } from "./price.ts";
import { resampled } from "./resample.ts";
import { type RunRow, rowSchema } from "./run-row.ts";

const NO_AGES = Array.from({ length: OLDEST_AGE }, () => [0, 0] as const);
const ages = (at: Readonly<Record<number, readonly [number, number]>>) => NO_AGES.map((none, place) => at[place + 1] ?? none);

function row(number: number, more: Partial<RunRow> = {}): RunRow {
  const needs = { needed: 10, missing: number % 10 };
  return {
    dataset: "lite",
    repository: `r${number % 12}`,
    task: `t${number}`,
    agent: "a",
    hasFailed: number % 3 > 0,
    isMasked: true,
    calls: 1 + (number % 7),
    needs: { passages: needs, edits: needs, fileInHand: needs },
    edits: { held: 4, heldFailed: 1, missing: 2, missingFailed: 1 },
    exposures: { "file window": ages({ 3: [10, 1], 6: [10, 2] }), search: NO_AGES, "command output": NO_AGES },
    ...more,
  };
}

const QUICK = { draws: 100, simulations: 20, simulatedDraws: 60 };

const ROWS = Array.from({ length: 60 }, (_, number) => row(number));

test.each<[string, readonly [number, boolean, string][], number | null]>([
  [
    "a failed run with the higher score is right",
    [
      [2, true, "a"],
      [1, false, "a"],
    ],
    1,
  ],
  [
    "equal scores are a half",
    [
      [1, true, "a"],
      [1, false, "a"],
    ],
    0.5,
  ],
  [
    "runs of two strata are no pair",
    [
      [2, true, "a"],
      [1, false, "b"],
    ],
    null,
  ],
  [
    "three pairs of four",
    [
      [1, true, ""],
      [3, true, ""],
      [0, false, ""],
      [2, false, ""],
    ],
    0.75,
  ],
])("the area is over pairs: %s", (_, runs, area) => {
  const own = runs.map(([score, hasFailed, stratum], cluster) => ({ score, hasFailed, stratum, cluster }));
  expect(areaWithin(own)(new Float64Array(runs.length).fill(1))).toBe(area);
});

test("a cluster that is drawn twice counts twice, one that is not drawn not at all", () => {
  const own = [
    { score: 2, hasFailed: true, stratum: "", cluster: 0 },
    { score: 1, hasFailed: false, stratum: "", cluster: 1 },
    { score: 3, hasFailed: false, stratum: "", cluster: 2 },
  ];
  expect(pairsWithin(own)(Float64Array.of(2, 1, 0))).toEqual({ pairs: 2, right: 2 });
});

test("an interval is the same each time, around the figure, and is withheld where draws have none", () => {
  const mean = (weights: Float64Array) => weights.reduce((sum, weight, place) => sum + weight * place, 0) / weights.length;
  const found = resampled(9, mean, 500);
  expect(found).toEqual(resampled(9, mean, 500));
  expect(found.value).toBe(4);
  expect(found.interval?.from).toBeLessThan(4);
  expect(found.interval?.through).toBeGreaterThan(4);
  expect(resampled(3, (weights) => (weights[0] === 0 ? null : 1), 500).interval).toBeNull();
});

test("thirds are of one model's runs, equal lengths in one", () => {
  const rows = [1, 1, 2, 2, 3, 3].map((calls) => row(0, { calls }));
  expect(rows.map((each) => lengthThirds(rows).get(each))).toEqual([
    "lite a 0",
    "lite a 0",
    "lite a 1",
    "lite a 1",
    "lite a 2",
    "lite a 2",
  ]);
});

test("the rate behind the line is set against the rate before it", () => {
  const { ratio, excess } = atLine(ROWS, { kind: "file window", age: 6, unit: "task", draws: 200 });
  expect(ratio.value).toBeCloseTo(2);
  expect(excess.value).toBeCloseTo(0.3);
  expect(() => atLine(ROWS, { kind: "search", age: 19, unit: "task", draws: 1 })).toThrow("no 3 ages");
});

test.each([
  ["a rate that falls with age alone has no step", 1, [6], 1],
  ["a rate that doubles at the line steps by two", 2, [6], 2],
  ["a placebo stands beside the step at the mask", 2, [6, 9], 1],
])("%s", (_, factor, steps, expected) => {
  const counts = NO_AGES.map((_none, at) => [4000, (400 / (at + 1)) * (at + 1 >= 6 ? factor : 1)] as const);
  expect(stepAt([counts, counts], steps)(Float64Array.of(1, 2))).toBeCloseTo(expected, 6);
});

test("without fetches on one side there is no step", () => {
  expect(stepAt([ages({ 3: [10, 1], 6: [10, 0], 7: [10, 0] })], [6])(Float64Array.of(1))).toBeNull();
});

test("masked runs are set against unmasked ones", () => {
  const unmasked = ROWS.map((each) => ({
    ...each,
    dataset: "unmasked",
    isMasked: false,
    exposures: { ...each.exposures, "file window": ages({ 3: [10, 1], 6: [10, 1] }) },
  }));
  const found = maskedByUnmasked([...ROWS, ...unmasked], { kind: "file window", unit: "task", draws: 50 });
  expect([found.value, found.clusters]).toEqual([2, 120]);
});

test("made scores find what is there more often than what is not", () => {
  const rows = Array.from({ length: 120 }, (_, number) => row(number));
  expect(powerOfArea(rows, { unit: "task", shift: 1.5 }, QUICK)).toBeGreaterThan(0.8);
  expect(powerOfArea(rows, { unit: "task", shift: 0 }, QUICK)).toBeLessThan(0.3);
  const ratio = { kind: "file window", unit: "task", rate: 0.1 } as const;
  expect(powerOfRatio(rows, { ...ratio, ratio: 4 }, QUICK)).toBeGreaterThan(0.8);
  expect(powerOfRatio(rows, { ...ratio, ratio: 1 }, QUICK)).toBeLessThan(0.3);
});

test("pages begin with the protocol's hash, and a row is read as it was written", () => {
  const answer = {
    fact: "F",
    conversation: "c",
    level: "C1",
    isAccurate: true,
    hasPassage: true,
    hasKeywords: true,
    isCompacted: false,
  };
  for (const page of [
    outcomePage(ROWS, QUICK),
    pricePage(ROWS, QUICK),
    answersPage([answer, { ...answer, isAccurate: false, hasPassage: false }], QUICK),
  ])
    expect(page).toMatch(/^Protocol: `[0-9a-f]{64}`\n/);
  expect(rowSchema.parse(JSON.parse(JSON.stringify(ROWS[0])))).toEqual(ROWS[0]);
  expect(aboveLength(ROWS, "passages", { unit: "task", draws: 50 }).clusters).toBe(60);
});
