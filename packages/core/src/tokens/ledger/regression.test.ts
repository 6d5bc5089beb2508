import { describe, expect, test } from "vitest";
import { POOLED_PRIOR } from "../model-prior.ts";
import { deviationOf, expectedOf, learn, regressionFrom } from "./regression.ts";

const start = regressionFrom(POOLED_PRIOR);

describe("learn", () => {
  test("finds slope and intercept from sizes of both kinds", () => {
    let fit = start;
    for (let round = 0; round < 40; round++) {
      const weighed = round % 2 === 0 ? 2000 : 20;
      fit = learn(fit, { weighed, messages: 1, tokens: 1.3 * weighed + 25 });
    }
    expect(fit.slopeRatio).toBeCloseTo(1.3, 1);
    expect(expectedOf(fit, 20, 1)).toBeGreaterThan(45);
    expect(expectedOf(fit, 20, 1)).toBeLessThan(56);
  });

  test("one outlier moves it by no more than its bound does", () => {
    const bounded = learn(start, { weighed: 1000, messages: 1, tokens: 1700 });
    const wild = learn(start, { weighed: 1000, messages: 1, tokens: 2500 });
    expect(bounded.slopeRatio).toBeGreaterThan(start.slopeRatio);
    expect(wild.slopeRatio).toBeCloseTo(bounded.slopeRatio, 6);
  });

  test.each([
    ["far more than text can be", { weighed: 100, messages: 1, tokens: 20_000 }],
    ["no message", { weighed: 0, messages: 0, tokens: 500 }],
    ["a message without text", { weighed: 0, messages: 1, tokens: 500 }],
  ])("%s teaches nothing", (_, measurement) => {
    expect(learn(start, measurement)).toBe(start);
  });

  test("what was measured is surer than before", () => {
    const fit = learn(start, { weighed: 3000, messages: 1, tokens: 3100 });
    expect(deviationOf(fit, 3000, 1)).toBeLessThan(deviationOf(start, 3000, 1));
  });

  test("stays within plausible bounds", () => {
    let fit = start;
    for (let round = 0; round < 300; round++) fit = learn(fit, { weighed: 1000, messages: 1, tokens: 1 });
    expect(fit.slopeRatio).toBeGreaterThanOrEqual(0.4);
    expect(fit.messageTokens).toBeGreaterThanOrEqual(0);
  });
});
