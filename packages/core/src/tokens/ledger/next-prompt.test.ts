import { describe, expect, test } from "vitest";
import {
  content,
  contentSum,
  knownModel,
  ledgerAfterReport,
  nextModel,
  overheadCounts,
  replyReport,
} from "../../../testing/ledger-values.ts";
import { CHAR_CLASSES } from "../char-class.ts";
import {
  ASSUMED_RESIDUALS,
  type Base,
  type FirstReport,
  type KnownModel,
  type MeasuredState,
  type Model,
  type ModelFit,
  type Residuals,
  type Situation,
} from "./model-fit.ts";
import type { Arrival, NextPrompt } from "./next-prompt.ts";
import {
  arrivalOf,
  firstReportAfter,
  nextPrompt,
  nextResiduals,
  overheadTokensOf,
  upperRatioAfterCut,
  upperTokensOf,
} from "./next-prompt.ts";

/** 2 × (10 + 1.5 × 20) + 7 = 87 tokens. */
const OVERHEAD = overheadCounts(10, 20, 7);
/** 2 × 30 + 10 × 3 + 7 = 97 tokens. */
const CONTENT = contentSum(30, 3, 7);

describe("overhead", () => {
  const firstReport: FirstReport = {
    modelId: "m",
    promptTokens: 1000,
    measuredTokens: 100,
    unmeasuredContent: contentSum(50, 2, 5),
    overhead: overheadCounts(5, 0, 3),
    laterReports: 0,
  };

  test.each<[string, FirstReport | null, Partial<Model>, number]>([
    ["by weight if nothing was reported: 2 × (10 + 1.5 × 20) + 7", null, {}, 87],
    // 1,000 − 100 − (2 × 50 + 10 × 2 + 5); since then 87 − (2 × 5 + 3)
    ["what the first report had above its messages, and what changed: 775 + 74", firstReport, {}, 849],
    // 1,000 − 100 − (4 × 50 + 10 × 2 + 5) = 675, at half the price
    ["what a dearer model counted is rescaled: 675 × 2 / 4 + 74", firstReport, { firstReported: knownModel(4) }, 411.5],
    ["never below none, before what changed: 0 + 74", { ...firstReport, promptTokens: 200 }, {}, 74],
  ])("%s", (_, first, more, tokens) => {
    expect(overheadTokensOf(first, nextModel(knownModel(2), more), OVERHEAD)).toBe(tokens);
  });
});

describe("what came after the base", () => {
  const arrival = (more: Partial<MeasuredState>, model: Model = nextModel()): Arrival =>
    arrivalOf(
      ledgerAfterReport({
        unreported: CONTENT,
        reply: replyReport(),
        turnReasoningTokens: 100,
        ...more,
      }),
      model,
    );
  const goes: Partial<KnownModel["fit"]> = { turnLosses: { stays: 0.2, goes: 0.1 } };

  test("the reply by its rule, the rest by weight: 100, and 2 × 30 + 10 × 3 + 7", () => {
    expect(arrival({})).toEqual({
      rule: "output",
      returnedTokens: 100,
      returnedReasoningTokens: 30,
      thrownAwayTokens: 0,
      arrivedTokens: 97,
      turnTokens: 0,
      vanishingTokens: 0,
    });
  });

  test("no reply, nothing returned", () => {
    expect(arrival({ reply: null })).toMatchObject({
      rule: null,
      returnedTokens: 0,
      returnedReasoningTokens: 0,
      arrivedTokens: 97,
    });
  });

  test.each<[string, Partial<KnownModel["fit"]>, number]>([
    ["goes, if that was off by less", goes, 130],
    ["stays, if that was", { turnLosses: { stays: 0.1, goes: 0.2 } }, 0],
    ["stays, if both were right", { turnLosses: { stays: 0, goes: 0 } }, 0],
  ])("at a human message the turn's reasoning and the reply's own (100 + 30) %s", (_, fit, vanishingTokens) => {
    const model = nextModel(knownModel(2, fit));
    expect(arrival({ hasUnreportedHuman: true }, model)).toMatchObject({ turnTokens: 130, vanishingTokens });
    expect(arrival({ hasUnreportedHuman: false }, model)).toMatchObject({ turnTokens: 0, vanishingTokens: 0 });
  });

  test("what a model of twice the price reported counts half: 50, and 50 + 15 of the turn", () => {
    const model = nextModel(knownModel(2), { reported: knownModel(4) });
    expect(arrival({ hasUnreportedHuman: true }, model)).toMatchObject({
      returnedTokens: 50,
      returnedReasoningTokens: 15,
      turnTokens: 65,
    });
  });

  // The text costs 2 × 200 = 400; an output below 200 cannot be.
  const impossible = replyReport({ outputTokens: 150, reasoningTokens: null, content: content(200) });
  test.each<[string, number, number]>([
    ["of a model whose counts are right is believed", 0.1, 150],
    ["of one whose counts are often wrong leaves the text: 400 + 10", 0.11, 410],
  ])("an output that cannot be, %s", (_, untrustedRatio, returnedTokens) => {
    const model = nextModel(knownModel(2, { untrustedRatio }));
    expect(arrival({ reply: impossible }, model)).toMatchObject({ returnedTokens });
  });

  test("a possible output is believed of any model, whatever its counts were before", () => {
    const possible = replyReport({ outputTokens: 250, reasoningTokens: null, content: content(200) });
    const model = nextModel(knownModel(2, { untrustedRatio: 0.9 }));
    expect(arrival({ reply: possible }, model)).toMatchObject({ rule: "output", returnedTokens: 250 });
  });

  // Twice its text and 300 are 2 × 400 + 300 = 1,100.
  const hidden = replyReport({ outputTokens: 1200, reasoningTokens: null, content: content(200) });
  test.each<[string, number, Partial<Arrival>]>([
    ["comes back if a model often has such", 0.2, { rule: "output", returnedTokens: 1200, thrownAwayTokens: 0 }],
    [
      "was thrown away if it rarely has: 1,200 − (400 + 10)",
      0.19,
      { rule: "text", returnedTokens: 410, thrownAwayTokens: 790 },
    ],
  ])("output that the text does not show %s", (_, hiddenRatio, expected) => {
    expect(arrival({ reply: hidden }, nextModel(knownModel(2, { hiddenRatio })))).toMatchObject(expected);
  });

  test("output that the text shows is not thrown away", () => {
    expect(arrival({}, nextModel(knownModel(2, { hiddenRatio: 0 })))).toMatchObject({
      returnedTokens: 100,
      thrownAwayTokens: 0,
    });
  });
});

describe("the next prompt", () => {
  // The reply's 100, 97 by weight, and 130 of the turn that vanish: 67 more.
  const vanishing = nextModel(knownModel(2, { turnLosses: { stays: 1, goes: 0 } }));
  const after = (base: Base, more: Partial<MeasuredState> = {}) =>
    ledgerAfterReport({
      ...{
        base,
        unreported: CONTENT,
        hasUnreportedHuman: true,
        reply: replyReport(),
        turnReasoningTokens: 100,
      },
      ...more,
    });
  const cut: Base = {
    kind: "cut",
    by: "engine",
    measuredTokens: 300,
    measuredContent: contentSum(60, 4, 11),
    unmeasuredContent: contentSum(5, 1, 9),
  };

  test.each<[string, MeasuredState, Model, { expectedTokens: number; reportedTokens: number; overheadTokens: number }]>([
    [
      "nothing reported: overhead and all messages by weight, 87 + 97",
      ledgerAfterReport({ base: { kind: "nothing" }, view: CONTENT }),
      nextModel(),
      { expectedTokens: 184, reportedTokens: 0, overheadTokens: 87 },
    ],
    [
      // 87 − (2 × 5 + 3) came to the overhead
      "a report: 1,000 + 74 + 67",
      after({ kind: "report", promptTokens: 1000, overhead: overheadCounts(5, 0, 3) }),
      vanishing,
      { expectedTokens: 1141, reportedTokens: 1000, overheadTokens: 87 },
    ],
    [
      "a report of a model of twice the price: 500 + 74 + 67",
      after({ kind: "report", promptTokens: 1000, overhead: overheadCounts(5, 0, 3) }),
      { ...vanishing, switchRatio: 0.5 },
      { expectedTokens: 641, reportedTokens: 500, overheadTokens: 87 },
    ],
    [
      // 2 × 5 + 10 + 9 = 29 were never measured
      "a cut: overhead 87, measured 300, by weight 29, and 67",
      after(cut),
      vanishing,
      { expectedTokens: 483, reportedTokens: 300, overheadTokens: 87 },
    ],
    [
      "a cut, and the next model is not named",
      after(cut, { nextModelId: null }),
      vanishing,
      { expectedTokens: 483, reportedTokens: 300, overheadTokens: 87 },
    ],
    [
      // 2 × 60 + 10 × 4 + 11 = 171
      "a cut, and another model: what was measured is weighed as well, 87 + 171 + 29 + 67",
      after(cut, { nextModelId: "other" }),
      vanishing,
      { expectedTokens: 354, reportedTokens: 0, overheadTokens: 87 },
    ],
  ])("%s", (_, from, model, expected) => {
    expect(nextPrompt(from, model, OVERHEAD)).toMatchObject(expected);
  });
});

const NO_PROMPT: NextPrompt = {
  expectedTokens: 1000,
  reportedTokens: 0,
  overheadTokens: 0,
  rule: null,
  returnedTokens: 0,
  returnedReasoningTokens: 0,
  thrownAwayTokens: 0,
  arrivedTokens: 0,
  turnTokens: 0,
  vanishingTokens: 0,
};
const residuals = { anchored: 0.01, "after-cut": 0.1, "after-others-cut": 0.3, "after-switch": 0.2, "first-call": 0.4 };
const nothing: Base = { kind: "nothing" };
const cutBy = (by: "engine" | "others"): Base => ({
  ...{ kind: "cut", by, measuredTokens: 0, measuredContent: contentSum(0, 0) },
  unmeasuredContent: contentSum(0, 0),
});
const cut = cutBy("engine");
const others = cutBy("others");
const young = (laterReports: number): Partial<MeasuredState> => ({
  firstReport: {
    ...{ modelId: "m", promptTokens: 1000, measuredTokens: 0, unmeasuredContent: contentSum(0, 0) },
    ...{ overhead: overheadCounts(0), laterReports },
  },
});

describe("the upper bound", () => {
  // 1,000 × (1 + 0.003 + 1.2 × the situation's residual)
  test.each<[string, Partial<MeasuredState>, number]>([
    ["after a report: 1 + 0.003 + 1.2 × 0.01", {}, 1015],
    ["after a cut: 1 + 0.003 + 1.2 × 0.1", { base: cut }, 1123],
    ["after a cut of others: 1 + 0.003 + 1.2 × 0.3", { base: others }, 1363],
    ["after the very first report: 0.035 more", young(0), 1050],
    ["two reports later: 0.035 × 0.85²", young(2), 1040.2875],
    ["after a cut, however young", { base: cut, ...young(0) }, 1123],
    ["after a switch: 1 + 0.003 + 1.2 × 0.2", { nextModelId: "other" }, 1243],
    ["after a cut and a switch, as after a switch", { base: cut, nextModelId: "other" }, 1243],
    ["of a next model that is not named, as of the same", { nextModelId: null }, 1015],
    ["at a first call: 1 + 0.003 + 1.2 × 0.4", { base: nothing, nextModelId: "other" }, 1483],
    // 2 × 10 + 10 = 30 expected: noise of 8 + 0.05 × 30 = 9.5, twice
    ["with two deviations of what came since: 1,015 + 2 × 9.5", { unreported: contentSum(10, 1) }, 1034],
    // 2 × 30 + 10 = 70 expected: noise of 8 + 0.05 × 70 = 11.5, twice
    [
      "and a third of what letters of no word came to: 1,015 + 2 × 11.5 + 60 / 3",
      { unreported: { ...contentSum(0, 1), counts: CHAR_CLASSES.map((name) => (name === "letter-after-digit" ? 30 : 0)) } },
      1058,
    ],
    ["of which a first call knows nothing", { base: nothing, unreported: contentSum(10, 1) }, 1483],
    ["nor a request without anything new", { unreported: contentSum(10, 0) }, 1015],
    ["with a jump that was seen and taken back", { jump: { risenTokens: 0, roomTokens: 8400 } }, 9415],
    ["but not on top of one", { jump: { risenTokens: 8400, roomTokens: 8400 } }, 1015],
  ])("%s", (_, more, tokens) => {
    expect(upperTokensOf(ledgerAfterReport({ residuals, ...more }), nextModel(), NO_PROMPT)).toBeCloseTo(tokens, 9);
  });

  test("what untrusted counts hide and what was thrown away have room: 1,015 + 0.5 × 0.4 × 100 + 7", () => {
    const model = nextModel(knownModel(2, { untrustedRatio: 0.4 }));
    const prompt = { ...NO_PROMPT, returnedTokens: 100, thrownAwayTokens: 7 };
    expect(upperTokensOf(ledgerAfterReport({ residuals }), model, prompt)).toBeCloseTo(1042, 9);
  });

  test.each<[string, ModelFit["turnLosses"], number]>([
    ["may stay, as long as no turn has shown it: 1,015 + 40", { stays: 0.5, goes: 0 }, 1055],
    ["goes if one has", { stays: 1.35, goes: 0 }, 1015],
    ["may stay if turns spoke for both", { stays: 1.3, goes: 1 }, 1055],
  ])("what is expected to vanish at a turn %s", (_, turnLosses, tokens) => {
    const prompt = { ...NO_PROMPT, turnTokens: 40, vanishingTokens: 40 };
    const model = nextModel(knownModel(2, { turnLosses }));
    expect(upperTokensOf(ledgerAfterReport({ residuals }), model, prompt)).toBeCloseTo(tokens, 9);
  });

  test.each<[string, Partial<MeasuredState>, number]>([
    ["a prediction based on a report is then based on a cut", {}, 1.123],
    ["a cut after a cut is one", { base: cut }, 1.123],
    ["one after a cut of others is the engine's own", { base: others }, 1.123],
    ["after a switch it is still after a switch", { nextModelId: "other" }, 1.243],
    ["before a first call it is still one", { base: nothing }, 1.483],
  ])("right after a cut: %s", (_, more, ratio) => {
    expect(upperRatioAfterCut(ledgerAfterReport({ residuals, ...more }))).toBeCloseTo(ratio, 12);
  });
});

describe("residuals", () => {
  test.each<[string, Situation, Partial<Residuals>, number, number]>([
    // 1,030 of 1,000: 3 % more than expected
    ["an under-estimate is kept", "anchored", {}, 1030, 0.03],
    ["beyond 5 % it is an event: 5 %", "anchored", {}, 1200, 0.05],
    ["a situation that is assumed worse than that has its own most", "after-cut", { "after-cut": 0 }, 1200, 0.08],
    // 0.0015 + 0.977 × (0.0415 − 0.0015)
    ["after an over-estimate the peak fades toward what is assumed", "anchored", { anchored: 0.0415 }, 900, 0.04058],
    ["after a smaller under-estimate it fades as well", "anchored", { anchored: 0.0415 }, 1010, 0.04058],
    ["a larger one takes its place", "anchored", { anchored: 0.0415 }, 1045, 0.045],
  ])("%s", (_, situation, before, promptTokens, after) => {
    const residuals = { ...ASSUMED_RESIDUALS, ...before };
    const next = nextResiduals(residuals, situation, { expectedTokens: 1000, promptTokens });
    expect(next[situation]).toBeCloseTo(after, 12);
    expect({ ...next, [situation]: residuals[situation] }).toEqual(residuals);
  });

  test.each([0, -5])("an expectation of %s tokens is none", (expectedTokens) => {
    expect(nextResiduals(ASSUMED_RESIDUALS, "anchored", { expectedTokens, promptTokens: 100 })).toBe(ASSUMED_RESIDUALS);
  });
});

describe("an overhead that later reports refute falls", () => {
  // The view weighs 2 × 10,000 = 20,000 tokens; the first report had 70,000 above its messages.
  const firstReport: FirstReport = {
    modelId: "m",
    promptTokens: 70_000,
    measuredTokens: 0,
    unmeasuredContent: contentSum(0, 0, 0),
    overhead: overheadCounts(0, 0, 0),
    laterReports: 0,
  };
  const overheadAfter = (promptTokens: number) => {
    const ledger = ledgerAfterReport({ firstReport, view: contentSum(10_000, 0, 0), reportedModelId: "m" });
    const report = { modelId: "m", promptTokens, overhead: overheadCounts(0, 0, 0) };
    const model = nextModel(knownModel(2));
    return overheadTokensOf(firstReportAfter(ledger, model, report), model, overheadCounts(0, 0, 0));
  };
  test.each<[string, number, number]>([
    ["to what a smaller prompt has above its messages", 35_000, 15_000],
    ["also where the prompt is as large as the overhead: its messages are in it", 60_000, 40_000],
    ["not for the messages' own error: half of their weight, and 3,000 tokens", 77_000, 70_000],
    ["not if the prompt has room for both", 95_000, 70_000],
    ["never below none", 15_000, 0],
  ])("%s", (_, promptTokens, tokens) => {
    expect(overheadAfter(promptTokens)).toBe(tokens);
  });
});
