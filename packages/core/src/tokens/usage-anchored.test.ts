import { describe, expect, test } from "vitest";
import { PI_LENGTH_ESTIMATE } from "../policy/presets/pi.ts";
import { human } from "../testing/builders.ts";
import { createEstimator } from "./built-in-estimators.ts";
import { EMPTY_LEDGER, type Ledger } from "./estimator.ts";
import { createWorkCounter } from "./measure.ts";
import { type LearnedScale, learnScale, NOTHING_ANCHORED, scaleAfterEdit, viewScale } from "./usage-anchored.ts";

const seen = (promptTokens: number, messageTokens: number, overheadTokens = 0) => {
  return { promptTokens, messageTokens, overheadTokens };
};
const known: LearnedScale = {
  ratio: 1,
  weightTokens: 500,
  promptTokens: 1000,
  estimatedTokens: 1000,
  overheadTokens: 0,
  viewRatio: null,
};

const ANCHOR = { reportedTokens: 9000, estimatedTokens: 2000, coversReplyOf: null };

describe("learnScale", () => {
  test.each<[string, LearnedScale | null, ReturnType<typeof seen>, Partial<LearnedScale>]>([
    ["the first report is set against 500 believed tokens", null, seen(4000, 1500), { ratio: 2.25, overheadTokens: 625 }],
    ["a large first prompt with little text is overhead", null, seen(6010, 10), { ratio: 540 / 510, overheadTokens: 6000 }],
    ["overhead costs as messages do", null, seen(4000, 1000, 500), { ratio: 2.25, overheadTokens: 1750 }],
    ["a rise is weighed by its text", known, seen(4000, 2000), { ratio: 3500 / 1500, overheadTokens: 0, weightTokens: 1500 }],
    ["so is a fall after a cut", known, seen(400, 700), { ratio: (500 + 600) / 800, overheadTokens: 0 }],
    ["a jump is no text: it is overhead", known, seen(10_000, 2000), { ratio: 1, overheadTokens: 8000 }],
    ["nor is a fall while text came", known, seen(900, 1100), { ratio: 1, overheadTokens: 0 }],
    ["two reports of one view teach nothing", known, seen(1500, 1000), { ratio: 1, overheadTokens: 500 }],
    [
      "old text is forgotten",
      { ...known, weightTokens: 20_000 },
      seen(5000, 3000),
      { ratio: (20_000 + 4000) / 22_000, weightTokens: 20_000 },
    ],
  ])("%s", (_, scale, report, expected) => {
    expect(learnScale(scale, report)).toMatchObject(expected);
  });
});

describe("viewScale", () => {
  const anchored: Ledger = {
    ...EMPTY_LEDGER,
    estimatedTokens: 3000,
    own: { ...NOTHING_ANCHORED, anchor: ANCHOR, scale: { ...known, overheadTokens: 1000 } },
  };

  test("what is expected is the report and the plain estimate since; above the overhead it is the messages'", () => {
    expect(viewScale(anchored)).toEqual({ expectedTokens: 10_000, overheadTokens: 1000, ratio: 3 });
  });

  test("a cut keeps the scale: what is left is priced as it was planned", () => {
    const cut: Ledger = { ...anchored, own: { ...NOTHING_ANCHORED, scale: scaleAfterEdit(anchored) }, estimatedTokens: 500 };
    expect(viewScale(cut)).toEqual({ expectedTokens: 2500, overheadTokens: 1000, ratio: 3 });
  });

  test("a second cut keeps it too", () => {
    const cut: Ledger = { ...anchored, own: { ...NOTHING_ANCHORED, scale: scaleAfterEdit(anchored) }, estimatedTokens: 500 };
    expect(scaleAfterEdit(cut)).toEqual(scaleAfterEdit(anchored));
  });

  test.each<[string, Ledger]>([
    ["without a report", { ...anchored, own: null }],
    ["after an undo without one", { ...EMPTY_LEDGER, own: { ...NOTHING_ANCHORED, scale: scaleAfterEdit(EMPTY_LEDGER) } }],
  ])("nothing is known %s", (_, ledger) => {
    expect(viewScale(ledger)).toBeNull();
  });

  test("what does not divide evenly is overhead, so that sizes add up", () => {
    const view = viewScale({ ...anchored, estimatedTokens: 2999 });
    expect(view?.expectedTokens).toBe(9999);
    expect(Math.floor((view?.ratio ?? 0) * 2999) + (view?.overheadTokens ?? 0)).toBe(9999);
  });
});

test.each([
  ["by the scale that reports taught, as a rule", undefined, 1000 + Math.floor(((9000 - 1000) / 2000) * 400)],
  ["by its plain estimate in a system that takes that for a report", "estimated", 400],
] as const)("what a cut left measures %s, until the next report", (_, afterCut, tokens) => {
  const spec = { kind: "usage-anchored", of: PI_LENGTH_ESTIMATE, anchor: "prompt", since: "left-out", afterCut } as const;
  const estimator = createEstimator(spec, createWorkCounter(), {});
  const before: Ledger = {
    ...EMPTY_LEDGER,
    estimatedTokens: 2000,
    own: { ...NOTHING_ANCHORED, anchor: ANCHOR, scale: { ...known, overheadTokens: 1000 } },
  };
  const left = [human("u", "x".repeat(1600))];
  const overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };
  const after: Ledger = { ...estimator.recount(before, left, "engine"), estimatedTokens: 400 };
  expect(estimator.predict(after, overhead).expectedTokens).toBe(tokens);
});

test.each([
  ["counts, as a rule", undefined, 10_000],
  ["is left out by a system that looks at the report alone", "left-out", 9000],
] as const)("what came after a report %s", (_, since, tokens) => {
  const spec = { kind: "usage-anchored", of: PI_LENGTH_ESTIMATE, anchor: "prompt", since } as const;
  const ledger: Ledger = {
    ...EMPTY_LEDGER,
    estimatedTokens: 3000,
    own: { ...NOTHING_ANCHORED, anchor: ANCHOR, scale: learnScale(null, seen(9000, 2000)) },
  };
  const overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };
  expect(createEstimator(spec, createWorkCounter(), {}).predict(ledger, overhead).expectedTokens).toBe(tokens);
});
