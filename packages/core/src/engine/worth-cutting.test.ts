import { expect, test } from "vitest";
import { type CutPrice, cutPrice, maybePays, mostWorthKeeping, whyNotWorth } from "./worth-cutting.ts";

const CACHE = { lifeMs: 300_000, rewriteRatio: 20 };
const BUDGET = { windowTokens: 1000, inputBudgetTokens: 1000 };

/** A step adds 1,000 tokens, and a token that is written costs as much as ten that are read. */
const PRICE: CutPrice = { pays: 1, stepTokens: 1000, rewriteRatio: 11, isCold: false };

// 20,000 tokens are freed and 40,000 kept: 20 steps are bought, and 20 pay for the rewrite.
test.each<[string, { freed?: number } & Partial<CutPrice>, string | null]>([
  ["that just pays", {}, null],
  ["that is a step short", { stepTokens: 1053 }, "buy 18 steps; at this model's prices it takes 20"],
  ["at a dearer model's price", { rewriteRatio: 21 }, "buy 20 steps; at this model's prices it takes 40"],
  ["that has to pay twice over", { pays: 2 }, "buy 20 steps; at this model's prices it takes 40"],
  ["that frees enough to pay twice over", { pays: 2, freed: 28_300 }, null],
  ["when nothing is cached, at any price", { isCold: true, rewriteRatio: 80 }, null],
  ["that frees too little, cold or not", { freed: 13_000, isCold: true }, "free 13000 tokens, too few"],
  ["that frees just enough of what it writes", { freed: 40_000 / 3, isCold: true }, null],
  ["of a context that does not grow", { stepTokens: 0, rewriteRatio: 80 }, null],
  ["where writing costs no more than reading", { rewriteRatio: 1, stepTokens: 1_000_000 }, null],
  ["that frees nothing", { freed: 0 }, "free 0 tokens"],
])("a cut %s", (_, { freed = 20_000, ...price }, why) => {
  const said = whyNotWorth({ freedTokens: freed, keptTokens: 40_000 }, { ...PRICE, ...price }, 1 / 3);
  expect(said).toEqual(why === null ? null : expect.stringContaining(why));
});

test.each([
  [0, 40_000],
  [-1000, 41_000],
])("a cut that frees %s tokens is worth nothing, at any price and without a least share", (freedTokens, keptTokens) => {
  const why = "it would free 0 tokens, too few for the tokens that it rewrites";
  expect(whyNotWorth({ freedTokens, keptTokens }, { ...PRICE, pays: 0 }, 0)).toBe(why);
});

test.each<[string, Partial<CutPrice>, boolean]>([
  ["if half of it buys as many steps as pay for the other half", { rewriteRatio: 31 }, true],
  ["not if it buys fewer", { rewriteRatio: 31.1 }, false],
  ["if it pays twice over where it has to", { rewriteRatio: 16, pays: 2 }, true],
  ["not if no growth is known", { stepTokens: 0 }, false],
  ["if nobody asks whether it pays", { stepTokens: 0, pays: 0 }, true],
  ["if nothing is cached", { isCold: true, rewriteRatio: 1000, pays: 8 }, true],
])("a cut of 60,000 tokens is planned %s", (_, price, may) => {
  expect(maybePays({ expectedTokens: 70_000, overheadTokens: 10_000 }, { ...PRICE, ...price })).toBe(may);
});

test.each([
  [undefined, 0.5, 0],
  [9, 0, 9],
  [9, 0.5, 5],
  [9, 0.9375, 1.5],
  [9, 0.96, 0],
  [9, 1.2, 0],
])("a policy that says %s has a cut pay in a window filled to %s so many times over: %s", (pays, filledRatio, times) => {
  const gate = { prediction: { expectedTokens: filledRatio * 1000 }, stepTokens: 1, pauseMs: null, cache: () => CACHE };
  expect(cutPrice({ atLeast: { tokens: 1 }, pays }, BUDGET, gate).pays).toBe(times);
});

test.each([
  [null, false],
  [-600_000, false],
  [299_999, false],
  [300_000, true],
])("after a pause of %s ms a cache that lives five minutes is cold: %s", (pauseMs, isCold) => {
  const gate = { prediction: { expectedTokens: 1 }, stepTokens: 1, pauseMs, cache: () => CACHE };
  expect(cutPrice({ atLeast: { tokens: 1 } }, BUDGET, gate)).toEqual({ pays: 0, stepTokens: 1, rewriteRatio: 20, isCold });
});

test.each<[string, Partial<CutPrice>]>([
  ["at a usual price", {}],
  ["at a high one", { rewriteRatio: 80 }],
  ["of long steps", { stepTokens: 8000 }],
])("what a forced cut keeps pays within the steps that it buys, and a little more does not: %s", (_, changes) => {
  const price = { ...PRICE, ...changes };
  const most = mostWorthKeeping(60_000, price, 0);
  const why = (keptTokens: number) => whyNotWorth({ keptTokens, freedTokens: 60_000 - keptTokens }, price, 0);
  expect(most).toBeGreaterThan(0);
  expect([why(most - 1), why(most + 1)]).toEqual([null, expect.any(String)]);
});

test.each<[string, Partial<CutPrice>]>([
  ["cold", { isCold: true }],
  ["not growing", { stepTokens: 0 }],
  ["as cheap to write as to read", { rewriteRatio: 1 }],
])("a forced cut of a context that is %s keeps what leaves a third of itself free", (_, changes) => {
  expect(mostWorthKeeping(60_000, { ...PRICE, ...changes }, 1 / 3)).toBe(45_000);
});
