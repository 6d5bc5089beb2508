import { describe, expect, test } from "vitest";
import { HAND_PRIOR, knownModel, line, load } from "../../testing/ledger-values.ts";
import { doubted, fitFrom, loadTokens, slopeOf } from "./model-fit.ts";

describe("a model", () => {
  test("2 tokens a character, 10 a message, and what is fixed: 2 × 30 + 10 × 3 + 7", () => {
    expect(loadTokens(load(30, 3, 7), knownModel(2))).toBe(97);
  });

  test("its slope turns pooled tokens into its own: 2 × 1.5", () => {
    const { fit } = knownModel(2);
    expect(slopeOf({ prior: { ...HAND_PRIOR, pooledRatio: 1.5 }, fit })).toBe(3);
  });

  test.each([
    ["stays", { stays: 0, goes: 0.5 }],
    ["goes", { stays: 0.5, goes: 0 }],
  ] as const)("starts from its prior, whose reasoning %s, and the session's texts: 2 × 1.25", (reasoningAtTurn, turnLosses) => {
    const fit = fitFrom({ ...HAND_PRIOR, reasoningAtTurn }, 1.25);
    expect(fit).toMatchObject({ turnLosses, untrustedRatio: 0, hiddenRatio: 1 });
    expect(fit.regression).toMatchObject({ slopeRatio: 2.5, messageTokens: 10 });
    expect(Object.values(fit.lines)).toEqual(Array(4).fill(fit.regression));
  });

  test("what was learned of another is doubted like a prior", () => {
    const fit = doubted({ ...knownModel(2).fit, regression: line(3, 12) });
    const doubt = [expect.closeTo(0.0289, 12), 0, 64];
    expect(fit.regression).toEqual({ slopeRatio: 3, messageTokens: 12, covariance: doubt });
    expect(Object.values(fit.lines)).toEqual(Array(4).fill({ slopeRatio: 2, messageTokens: 10, covariance: doubt }));
  });
});
