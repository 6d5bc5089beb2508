import { human, logOf } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { madeFindings } from "../../testing/made-findings.ts";
import { prepareSession } from "../replay/prepared-session.ts";
import { type GradedRun, gradedRun, outcomePredictions } from "./outcomes.ts";
import type { PredictionCase } from "./predictions.ts";
import { validationOf } from "./validation.ts";
import { validationMarkdown } from "./validation-markdown.ts";

const run = (place: number, calls: number, hasFailed: boolean, scores: Readonly<Record<string, number>>): GradedRun => ({
  ...{ session: `logs/own${place}__repo__s.jsonl`, agent: "a", calls, hasFailed, scores },
});

// Long runs fail and miss more. Among those of one length, what is missing has nothing to do with failing, and the plan has.
const RUNS = [
  ...[run(0, 10, false, { missing: 0.1, plan: 0 }), run(1, 10, true, { missing: 0.1, plan: 1 })],
  ...[run(2, 10, false, { missing: 0.1, plan: 0 }), run(3, 50, false, { missing: 0.5, plan: 0 })],
  ...[run(4, 50, true, { missing: 0.5, plan: 1 }), run(5, 50, true, { missing: 0.5 })],
  ...[run(6, 90, true, { missing: 0.9, plan: 1 }), run(7, 90, true, { missing: 0.9, plan: 1 })],
  run(8, 90, false, { missing: 0.9, plan: 0 }),
];

test("a measure that only follows the length predicts nothing among runs of equal length", () => {
  const [length, missing, plan] = outcomePredictions(RUNS);
  expect(length).toMatchObject({ measure: "length in calls", runs: 9, failed: 5, areaAtEqualLength: 0.5, pairs: 6 });
  expect(missing).toMatchObject({ measure: "missing", runs: 9, areaAtEqualLength: 0.5, area: { value: length?.area.value } });
  expect(missing?.area.value).toBeGreaterThan(0.6);
  expect(plan).toMatchObject({ measure: "plan", runs: 8, failed: 4, areaAtEqualLength: 1, pairs: 8 });
});

test.each([
  ["none is graded", [], []],
  ["all failed", [run(0, 5, true, { plan: 1 })], [null, null]],
])("%s: no area", (_, runs, areas) => {
  expect(outcomePredictions(runs).map(({ area }) => area.value)).toEqual(areas);
});

const session = (outcome: object) => {
  const entries = logOf([human("u", "q")]);
  return prepareSession({
    name: "s",
    file: "s",
    format: "f",
    entries,
    parentName: null,
    hasUsage: false,
    notes: [],
    ...outcome,
  });
};
const asked = { session: "s", agent: "f", outcome: "the edit fails", measure: "replaced texts", happened: false } as const;
const CASES: readonly PredictionCase[] = [
  { ...asked, score: 1, happened: true },
  { ...asked, score: 0 },
  { ...asked, score: null },
  { ...asked, outcome: "the file is read again", measure: "path named", score: 1 },
];

test.each([
  ["full", 1, false],
  ["partial", 0.5, true],
])("a run with a %s success: the means of what was missing", (_, value, hasFailed) => {
  const outcome = {
    grades: [
      { name: "reward", value },
      { name: "other", value: 0 },
    ],
  };
  expect(gradedRun(session({ outcome }), { cases: CASES, calls: 7, compactions: 1 })).toEqual({
    ...{ session: "s", agent: "f", calls: 7, hasFailed },
    scores: {
      "replaced texts, at edits": 0.5,
      "edits that fail": 1 / 3,
      "path named, after compactions": 1,
      "was compacted": 1,
    },
  });
});

test("a run that nothing grades is none", () => {
  expect(gradedRun(session({}), { cases: CASES, calls: 7, compactions: 0 })).toBeNull();
});

test("the page says that it has no data, or gives the table", async () => {
  const findings = await madeFindings(2);
  expect(validationMarkdown(validationOf(findings, "2026-01-31"))).toContain(
    "No recording says what its run came to: nothing is said of success.",
  );
  const [first] = findings;
  const graded = RUNS.flatMap((own) => (first === undefined ? [] : [{ ...first, session: own.session, graded: own }]));
  const page = validationMarkdown(validationOf(graded, "2026-01-31"));
  expect(page).toContain("9 of them say what their run came to.");
  expect(page).toContain("| plan | 8 | 4 | 1.00 [1.00, 1.00] | 1.00 (8) |");
});
