import { describe, expect, test } from "vitest";
import { type Amount, budgetOf, fires, resolveAmount } from "./budget.ts";

describe("budgetOf", () => {
  test.each([
    ["B-2: window less reserve", 200_000, 64_000, 136_000],
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
  test("a reserve as large as the window: an error that names both numbers", () => {
    expect(() => budgetOf({ contextWindowTokens: 4096, maxOutputTokens: 8192 })).toThrowError(
      expect.objectContaining({ code: "bad-policy", details: { windowTokens: 4096, reserveTokens: 8192 } }),
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
    ["nested ones", { minus: [{ ratio: 1, of: "input-budget" }, { min: [reserve, { ratio: 0.25, of: "window" }] }] }, 119_616],
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
});
