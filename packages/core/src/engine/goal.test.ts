import { describe, expect, test } from "vitest";
import type { CompactionReason } from "../entry.ts";
import type { EnginePolicy, Policy } from "../policy/policy.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { createEstimator } from "../tokens/built-in-estimators.ts";
import { EMPTY_LEDGER } from "../tokens/estimator.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import type { FitInput } from "./fit-input.ts";
import { type Goal, goalOf, isForced, recoveriesOf, recoveryOfTry } from "./goal.ts";

const estimator = createEstimator(SVEN_POLICY.estimator, createWorkCounter());

/** A compaction in an input budget of 10,000 tokens with a trigger at 8,000; 9,000 tokens of messages, 300 of overhead, 200 pending. */
function goal(
  reason: CompactionReason,
  so: {
    recovery?: number;
    observedPromptTokens?: number;
    observedRequestTokens?: number;
    observedLimitTokens?: number;
    reserveTokens?: number;
    budgetTokens?: number;
    upperRatio?: number;
    maxRecoveries?: number;
  } = {},
): Goal {
  const policy: Policy = {
    ...SVEN_POLICY,
    trigger: { atLeast: { tokens: 8000 } },
    overflow: { ...SVEN_POLICY.overflow, maxRecoveries: so.maxRecoveries ?? SVEN_POLICY.overflow.maxRecoveries },
  };
  const setup = { estimator: { ...estimator, upperRatioAfterCut: () => so.upperRatio ?? 1 } };
  const state = { policy, setup, ledger: EMPTY_LEDGER };
  const inputBudgetTokens = so.budgetTokens ?? 10_000;
  const budget = { windowTokens: inputBudgetTokens + (so.reserveTokens ?? 0), inputBudgetTokens };
  const model = { contextWindowTokens: budget.windowTokens, maxOutputTokens: null };
  const { recovery = 0, observedPromptTokens = null, observedRequestTokens = null, observedLimitTokens = null } = so;
  const observed = { observedPromptTokens, observedRequestTokens, observedLimitTokens };
  const input: FitInput = { gate: "before-step", pending: [], model, nowMs: null, recovery, ...observed };
  return goalOf(state, { reason, budget, input }, { tokensBefore: 9000, overheadTokens: 300, pendingTokens: 200 });
}

describe("goalOf", () => {
  test("the room is what the budget leaves after overhead and pending messages; the line is where the trigger fires", () => {
    const room = { budgetTokens: 9500, limitTokens: 9500 };
    expect(goal("threshold")).toEqual({ ...room, lineTokens: 7500, retryTokens: null });
  });

  test("the room is smaller if its upper bound must fit: (10,000 − 200) / 1.25 − 300, and 2 for rounding", () => {
    expect(goal("threshold", { upperRatio: 1.25 })).toMatchObject({ budgetTokens: 9500, limitTokens: 7538 });
  });

  test.each<[string, CompactionReason, number]>([
    ["takes a fifth before a refusal: of 9,000", "over-budget", 7200],
    ["is not believed after one", "overflow", 7200],
  ])("an overhead that is believed to fill the window %s", (_, reason, limitTokens) => {
    expect(goal(reason, { budgetTokens: 400 })).toMatchObject({ budgetTokens: -100, limitTokens });
  });

  test.each<[string, Parameters<typeof goal>[1], number]>([
    ["shrinks by the excess that was counted: 10,000 of 12,500", { observedPromptTokens: 12_500 }, 7100],
    ["counts the reply on no side: 10,000 of 13,500 less 1,000", { observedRequestTokens: 13_500, reserveTokens: 1000 }, 7100],
    ["grows if the estimate was high: 400 of 500, and 9,500 expected", { observedPromptTokens: 500, budgetTokens: 400 }, 7100],
    ["shrinks to 80% if what was counted was allowed", { observedPromptTokens: 9000 }, 7200],
    ["shrinks to half if it was refused again", { observedPromptTokens: 12_500, recovery: 1 }, 4500],
  ])("a refusal that names its limit and a count %s", (_, so, limitTokens) => {
    expect(goal("overflow", { observedLimitTokens: 1, ...so })).toMatchObject({ limitTokens });
  });

  test("a recovery after those whose shares are written out keeps what the last of them keeps: half of 9,000", () => {
    expect(goal("overflow", { recovery: 2, maxRecoveries: 5 }).limitTokens).toBe(4500);
  });

  test.each<[string, Parameters<typeof goal>[1], number]>([
    ["the first recovery keeps four fifths of what was rejected", { recovery: 0 }, 7200],
    ["the second half of it", { recovery: 1 }, 4500],
    ["less if less fits", { recovery: 0, budgetTokens: 4000 }, 3500],
    [
      "the same if the overhead is believed to leave no room at all: that was not what was refused",
      { recovery: 0, budgetTokens: 400 },
      7200,
    ],
  ])("after an overflow %s", (_, so, tokens) => {
    expect(goal("overflow", so)).toMatchObject({ limitTokens: tokens });
  });

  test.each<[string, number, number]>([
    ["what the provider counted shrinks the room by the same share", 19_000, 4500],
    ["a count that is no larger than the estimate says nothing", 9500, 7200],
    ["nor does one that the usual share is enough for", 10_000, 7200],
  ])("after an overflow %s", (_, observedPromptTokens, tokens) => {
    expect(goal("overflow", { observedPromptTokens })).toMatchObject({ limitTokens: tokens });
  });

  test("the last recovery takes all that can be cut, whatever the size", () => {
    expect(goal("overflow", { recovery: recoveriesOf(SVEN_POLICY) - 1 })).toMatchObject({ limitTokens: 2250 });
  });

  test.each<[string, number, boolean, number]>([
    ["each share of the rejected context is tried, then the least", 1, true, 3],
    ["as often as the policy says, then the least", 4, true, 5],
    ["never under a policy that is off", 4, false, 0],
    ["never if the policy wants none", 0, true, 0],
  ])("a rejected request is recovered %s", (_, maxRecoveries, enabled, count) => {
    expect(recoveriesOf({ ...SVEN_POLICY, enabled, overflow: { keep: [], maxRecoveries } })).toBe(count);
  });

  test("a policy without a fallback recovers as often as it says, and no more", () => {
    expect(
      [0, 1, 4].map((maxRecoveries) => recoveriesOf({ ...SVEN_POLICY, fallback: null, overflow: { keep: [], maxRecoveries } })),
    ).toEqual([0, 1, 4]);
  });

  test("what fits is still the limit for irreducible, also after an overflow", () => {
    expect(goal("overflow", { recovery: 1 })).toMatchObject({ budgetTokens: 9500 });
  });
});

test.each<[string, Partial<EnginePolicy>, CompactionReason, number, boolean]>([
  ["the last recovery", {}, "overflow", recoveriesOf(SVEN_POLICY) - 1, true],
  ["not the one before", {}, "overflow", recoveriesOf(SVEN_POLICY) - 2, false],
  ["no compaction for another reason", {}, "threshold", 9, false],
  ["none of a policy without a fallback", { fallback: null }, "overflow", 9, false],
])("forced is %s", (_, changes, reason, recovery, forced) => {
  const model = { contextWindowTokens: 1000, maxOutputTokens: null };
  const input: FitInput = { gate: "on-overflow", pending: [], model, nowMs: null, recovery };
  expect(isForced({ ...SVEN_POLICY, ...changes }, reason, input)).toBe(forced);
});

describe("a refusal for no known reason goes down by growing steps", () => {
  test.each<[string, Parameters<typeof recoveryOfTry>[1], number | null]>([
    ["a fifth less", { tries: 1, isSaid: false }, 0],
    ["then half", { tries: 2, isSaid: false }, 1],
    ["then what cannot be cut", { tries: 3, isSaid: false }, 2],
    ["then nothing", { tries: 4, isSaid: false }, null],
    ["but what cannot be cut for what the person says since", { tries: 4, isSaid: true }, 2],
  ])("%s", (_, tries, recovery) => {
    expect(recoveryOfTry({ ...SVEN_POLICY, overflow: { ...SVEN_POLICY.overflow, maxRecoveries: 1 } }, tries)).toBe(recovery);
  });
});
