import { describe, expect, test } from "vitest";
import { type Amount, budgetOf, fires, resolveAmount, triggerTokens } from "./budget.ts";
import { SVEN_POLICY } from "./policy/presets/sven.ts";

describe("budgetOf", () => {
  test.each([
    ["B-1: no reserve", 200_000, 0, 200_000],
    ["B-2: window less reserve", 200_000, 64_000, 136_000],
    ["B-5: a larger window", 400_000, 128_000, 272_000],
    ["a model whose maximum output is not known", 8192, null, 8192],
  ])("%s", (_, contextWindowTokens, maxOutputTokens, inputBudgetTokens) => {
    expect(budgetOf({ contextWindowTokens, maxOutputTokens })).toEqual({
      windowTokens: contextWindowTokens,
      inputBudgetTokens,
    });
  });

  test("an unknown window has no budget", () => {
    expect(budgetOf({ contextWindowTokens: null, maxOutputTokens: 8192 })).toBeNull();
  });

  // Against B-6 and B-7, where the documented system switches itself off without a word.
  test.each([
    ["B-6: the window equals the reserve", 8192, 8192],
    ["B-7: the window is smaller than the reserve", 4096, 8192],
    ["B-3: no window at all", 0, 0],
  ])("%s: an error that names both numbers", (_, windowTokens, reserveTokens) => {
    expect(() => budgetOf({ contextWindowTokens: windowTokens, maxOutputTokens: reserveTokens })).toThrowError(
      expect.objectContaining({ code: "bad-policy", details: { windowTokens, reserveTokens } }),
    );
  });
});

describe("resolveAmount", () => {
  const budget = { windowTokens: 200_000, inputBudgetTokens: 136_000 };
  const reserve: Amount = { tokens: 16_384 };
  const window: Amount = { ratio: 1, of: "window" };

  test.each<[string, Amount, number]>([
    ["a fixed number", { tokens: 20_000 }, 20_000],
    ["a share of the window", { ratio: 0.25, of: "window" }, 50_000],
    ["a share of the input budget", { ratio: 0.75, of: "input-budget" }, 102_000],
    ["a share that is no whole number", { ratio: 0.333, of: "window" }, 66_600],
    ["the smallest", { min: [reserve, { ratio: 0.05, of: "window" }] }, 10_000],
    ["the largest", { max: [reserve, { ratio: 0.05, of: "window" }] }, 16_384],
    ["a difference", { minus: [window, reserve] }, 183_616],
    ["a difference of several", { minus: [window, reserve, { tokens: 3_616 }] }, 180_000],
    ["a difference below zero", { minus: [reserve, window] }, 0],
    [
      "nested amounts",
      { minus: [{ ratio: 1, of: "input-budget" }, { min: [reserve, { ratio: 0.25, of: "window" }] }] },
      119_616,
    ],
  ])("%s", (_, amount, tokens) => {
    expect(resolveAmount(amount, budget)).toBeCloseTo(tokens, 6);
  });
});

const half: Amount = { ratio: 0.5, of: "input-budget" };
const budget = { windowTokens: 200, inputBudgetTokens: 100 };

describe("fires", () => {
  test.each([
    ["at least: one below", { atLeast: half }, 49, false],
    ["at least: equal", { atLeast: half }, 50, true],
    ["above: equal", { above: half }, 50, false],
    ["above: one more", { above: half }, 51, true],
  ])("%s", (_, trigger, usedTokens, expected) => {
    expect(fires(trigger, usedTokens, budget)).toBe(expected);
  });

  test.each([
    ["E-5", 68_000, false],
    ["E-6", 101_999, false],
    ["E-7", 102_000, true],
  ])("%s: sven's defaults over a budget of 136,000", (_, usedTokens, expected) => {
    expect(fires(SVEN_POLICY.trigger, usedTokens, { windowTokens: 200_000, inputBudgetTokens: 136_000 })).toBe(expected);
  });

  test.each([
    ["E-13: five of ten, at 0.5", 10, 5, 0.5, true],
    ["E-13: five of ten, at 0.6", 10, 5, 0.6, false],
    ["E-14: four of four, at 0.8", 4, 4, 0.8, true],
  ])("%s", (_, inputBudgetTokens, usedTokens, ratio, expected) => {
    const trigger = { atLeast: { ratio, of: "input-budget" } } as const;
    expect(fires(trigger, usedTokens, { windowTokens: inputBudgetTokens, inputBudgetTokens })).toBe(expected);
  });

  test.each([
    ["P-3: well above", 95_000, true],
    ["P-3: below", 89_000, false],
    ["P-4: exactly at window less reserve", 90_000, false],
    ["P-4: one token more", 90_001, true],
  ])("%s", (_, usedTokens, expected) => {
    const trigger = { above: { minus: [{ ratio: 1, of: "window" }, { tokens: 10_000 }] } } as const;
    expect(fires(trigger, usedTokens, { windowTokens: 100_000, inputBudgetTokens: 92_000 })).toBe(expected);
  });
});

describe("E-15: the first size that fires under sven's defaults", () => {
  test.each([
    [72_000, 54_000],
    [272_000, 204_000],
    [100_000, 75_000],
    [128_000, 96_000],
  ])("input budget %i: %i", (inputBudgetTokens, firstTokens) => {
    const sized = { windowTokens: inputBudgetTokens, inputBudgetTokens };
    expect(triggerTokens(SVEN_POLICY.trigger, sized)).toBe(firstTokens);
    expect([fires(SVEN_POLICY.trigger, firstTokens - 1, sized), fires(SVEN_POLICY.trigger, firstTokens, sized)]).toEqual([
      false,
      true,
    ]);
  });
});
