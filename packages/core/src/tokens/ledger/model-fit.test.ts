import { describe, expect, test } from "vitest";
import { contentSum, HAND_PRIOR, knownModel, ledgerAfterReport, line, overheadCounts } from "../../../testing/ledger-values.ts";
import { deviationOf, type ModelPriors, type Regression } from "../measure.ts";
import { asPrior, fitFrom, learn, type MeasuredState, modelOf, regressionFrom } from "./model-fit.ts";

describe("a model", () => {
  test.each([
    ["stays", { stays: 0, goes: 0.5 }],
    ["goes", { stays: 0.5, goes: 0 }],
  ] as const)("starts from its prior, whose reasoning %s, and the session's texts: 2 × 1.25", (reasoningAtTurn, turnLosses) => {
    const fit = fitFrom({ ...HAND_PRIOR, reasoningAtTurn }, 1.25);
    expect(fit).toMatchObject({ turnLosses, untrustedRatio: 0.2, hiddenRatio: 1 });
    expect(fit.regression).toMatchObject({ slopeRatio: 2.5, messageTokens: 10 });
    expect(Object.values(fit.lines)).toEqual(Array(4).fill(fit.regression));
  });

  test("what was learned of another is doubted like a prior", () => {
    const fit = asPrior({ ...knownModel(2).fit, regression: line(3, 12) });
    const doubt = [expect.closeTo(0.0144, 12), 0, 225];
    expect(fit.regression).toEqual({ slopeRatio: 3, messageTokens: 12, covariance: doubt });
    expect(Object.values(fit.lines)).toEqual(Array(4).fill({ slopeRatio: 2, messageTokens: 10, covariance: doubt }));
  });
});

describe("a line by hand", () => {
  // Before it learns, a line drifts: 0.0096 + 0.0001 × 2² = 0.01 for the slope, 3.95 + 0.05 = 4 for the intercept.
  const known: Regression = { slopeRatio: 2, messageTokens: 10, covariance: [0.0096, 0.1, 3.95] };

  test("a prior is doubted by 12% of the slope and 15 tokens a message", () => {
    const learned = regressionFrom({ slopeRatio: 2, messageTokens: 10 });
    expect(learned).toMatchObject({ slopeRatio: 2, messageTokens: 10 });
    const [slope, both, intercept] = learned.covariance;
    expect(slope).toBeCloseTo(0.0144, 12);
    expect([both, intercept]).toEqual([0, 225]);
  });

  test.each<[string, Regression["covariance"], number]>([
    // 0.01 × 10² + 2 × 0.05 × 10 × 2 + 4 × 2² = 19, and the noise of 40 expected tokens: (8 + 0.05 × 40)² = 100
    ["what is not known of the line, and noise", [0.01, 0.05, 4], Math.sqrt(19 + 100)],
    ["a doubt below zero is none", [0, -1, 0], 10],
    ["a sure line leaves the noise", [0, 0, 0], 10],
  ])("deviation: %s", (_, covariance, deviation) => {
    expect(deviationOf({ ...known, covariance }, 10, 2)).toBeCloseTo(deviation, 10);
  });

  // 100 characters in 2 messages: 2 × 100 + 10 × 2 = 220 expected; doubt 0.01 × 100² + 2 × 0.1 × 100 × 2 + 4 × 2² = 156; noise 8 + 0.05 × 220 = 19.
  const variance = 156 + 19 ** 2;
  const towardSlope = 0.01 * 100 + 0.1 * 2;
  const towardMessages = 0.1 * 100 + 4 * 2;
  const limit = 3 * Math.sqrt(variance);

  test.each<[string, number, number]>([
    ["10 tokens more than expected", 230, 10],
    ["10 tokens fewer", 210, -10],
    ["a surprise counts as at most three deviations", 220 + 100, limit],
    ["a fall as well", 220 - 100, -limit],
    ["up to four times that it teaches", 220 + 3.99 * limit, limit],
  ])("learns by its share of %s", (_, tokens, surprise) => {
    const learned = learn(known, { weighed: 100, messages: 2, tokens });
    expect(learned.slopeRatio).toBeCloseTo(2 + (towardSlope / variance) * surprise, 10);
    expect(learned.messageTokens).toBeCloseTo(10 + (towardMessages / variance) * surprise, 10);
    expect(learned.covariance[0]).toBeCloseTo(0.01 - towardSlope ** 2 / variance, 12);
    expect(learned.covariance[1]).toBeCloseTo(0.1 - (towardSlope * towardMessages) / variance, 12);
    expect(learned.covariance[2]).toBeCloseTo(4 - towardMessages ** 2 / variance, 12);
  });

  test("a line drifts with its slope: 0.0001 + 0.0001 × 3², and 1 + 0.05", () => {
    // Of one character in a message the noise is 8 + 0.05 × (3 + 10) = 8.65; the line's own variance is 0.001 + 1.05.
    const steep: Regression = { slopeRatio: 3, messageTokens: 10, covariance: [0.0001, 0, 1] };
    const learned = learn(steep, { weighed: 1, messages: 1, tokens: 13 });
    expect(learned.covariance[0]).toBeCloseTo(0.001 - 0.001 ** 2 / (0.001 + 1.05 + 8.65 ** 2), 12);
    expect(learned).toMatchObject({ slopeRatio: 3, messageTokens: 10 });
  });

  test.each([
    ["beyond four times the limit", { weighed: 100, messages: 2, tokens: 220 + 4.01 * limit }],
    ["as far below", { weighed: 100, messages: 2, tokens: 220 - 4.01 * limit }],
    ["text without a message", { weighed: 100, messages: 0, tokens: 200 }],
    ["a message without text", { weighed: 0, messages: 2, tokens: 20 }],
  ])("%s teaches nothing", (_, measurement) => {
    expect(learn(known, measurement)).toBe(known);
  });

  test.each<[string, Partial<Regression>, number, Partial<Regression>]>([
    ["a slope above 3", { slopeRatio: 2.99, covariance: [1, 0, 0] }, 400, { slopeRatio: 3 }],
    ["a slope below 0.4", { slopeRatio: 0.41, covariance: [1, 0, 0] }, 1, { slopeRatio: 0.4 }],
    ["more than 150 tokens a message", { messageTokens: 149, covariance: [0, 0, 4000] }, 700, { messageTokens: 150 }],
    ["less than none", { messageTokens: 1, covariance: [0, 0, 4000] }, 20, { messageTokens: 0 }],
  ])("never learns %s", (_, from, tokens, bounded) => {
    expect(learn({ ...known, ...from }, { weighed: 100, messages: 2, tokens })).toMatchObject(bounded);
  });
});

const priors: ModelPriors = () => HAND_PRIOR;
const fits = { m: knownModel(2).fit };

describe("the model by what was learned of it", () => {
  test("what it reported is its own", () => {
    const model = modelOf(ledgerAfterReport({ fits, view: contentSum(30, 3) }), "m", priors);
    expect(model).toMatchObject({ fit: fits.m, switchRatio: 1 });
    expect(model.reported.fit).toBe(model.fit);
  });

  test.each<[string, Partial<MeasuredState>, number]>([
    // 4 × 30 + 10 × 3 = 150 by the next model, 2 × 30 + 10 × 3 = 90 by the one that reported
    ["as its price of the view is to the other's: 150 / 90", { view: contentSum(30, 3) }, 150 / 90],
    ["not at all, if the view is empty", {}, 1],
  ])("another model's reports count %s", (_, more, switchRatio) => {
    const both = { ...fits, other: knownModel(4).fit };
    expect(modelOf(ledgerAfterReport({ fits: both, ...more }), "other", priors).switchRatio).toBeCloseTo(switchRatio, 12);
  });

  // The session's texts cost the reporting model 2.2, 2.8 or 1 tokens, and its prior says 2; the next one's prior says 3.
  test.each([
    ["as much above its prior: 3 × 2.2 / 2", 2.2, 3.3],
    ["at most a quarter more", 2.8, 3.75],
    ["at least a fifth less", 1, 2.4],
  ])("a new model pays for the session's texts %s", (_, learned, slopeRatio) => {
    const dearer: ModelPriors = (id) => (id === "new" ? { ...HAND_PRIOR, slopeRatio: 3 } : HAND_PRIOR);
    const { fit } = modelOf(ledgerAfterReport({ fits: { m: knownModel(learned).fit } }), "new", dearer);
    expect(fit.regression.slopeRatio).toBeCloseTo(slopeRatio, 12);
  });

  test("the ledger's first report is its own model's", () => {
    const report = {
      promptTokens: 1,
      measuredTokens: 0,
      unmeasuredContent: contentSum(0, 0),
      overhead: overheadCounts(0),
      laterReports: 0,
    };
    const first = { ...report, modelId: "first" };
    const known = { ...fits, first: knownModel(4).fit };
    expect(modelOf(ledgerAfterReport({ fits: known, firstReport: first }), "m", priors).firstReported.fit).toBe(known.first);
  });

  test("a new model of the same prior goes on with what was learned, and doubts it", () => {
    const ofFamily: ModelPriors = (id) => (id === "" ? { ...HAND_PRIOR, slopeRatio: 3 } : HAND_PRIOR);
    const { regression } = modelOf(ledgerAfterReport({ fits: { m: knownModel(2.7).fit } }), "new", ofFamily).fit;
    expect(regression).toMatchObject({ slopeRatio: 2.7, covariance: [expect.closeTo(0.0144, 12), 0, 225] });
  });

  test.each([["m"], [null]])("before any report %j is its prior", (modelId) => {
    expect(modelOf(ledgerAfterReport({ reportedModelId: null }), modelId, priors).fit.regression.slopeRatio).toBe(2);
  });
});
