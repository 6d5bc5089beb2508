import { describe, expect, test } from "vitest";
import type { Amount } from "../budget.ts";
import type { CompactionReason, Gate } from "../entry.ts";
import { createMemory } from "../memory.ts";
import { BUILT_IN_KINDS } from "../policy/kinds.ts";
import type { EnginePolicy, Policy } from "../policy/policy.ts";
import { NONE_POLICY } from "../policy/presets/none.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { createEstimator } from "../tokens/built-in-estimators.ts";
import { EMPTY_LEDGER } from "../tokens/estimator.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import type { FitInput, FitState } from "./fit-input.ts";
import {
  type GateSizes,
  type Goal,
  goalOf,
  isForced,
  reaches,
  reasonToAct,
  recoveriesOf,
  recoveryOfTry,
  whyAct,
} from "./why-act.ts";

const budget = { windowTokens: 200_000, inputBudgetTokens: 136_000 };

function sizes(usedTokens: number, more: Partial<GateSizes> & { readonly upperTokens?: number } = {}): GateSizes {
  const { upperTokens = usedTokens, ...rest } = more;
  const prediction = {
    expectedTokens: usedTokens,
    upperTokens,
    reportedTokens: 0,
    estimatedTokens: usedTokens,
    overheadTokens: 0,
    basis: "test",
  };
  const none = { pendingTokens: 0, newTokens: null, stepTokens: 0, upperRatioAfterCut: 1, isGoalMissed: false, pauseMs: null };
  return { prediction, ...none, ...rest };
}

describe("reasonToAct", () => {
  test.each<[string, Gate, GateSizes, string | null]>([
    ["E-6: below the trigger", "before-submit", sizes(101_999), null],
    ["E-7: at the trigger", "before-submit", sizes(102_000), "threshold"],
    ["after a batch of results too", "after-tool-batch", sizes(102_000), "threshold"],
    ["not at a gate that the policy does not have", "before-step", sizes(102_000), null],
    ["just below the emergency", "before-submit", sizes(129_199), "threshold"],
    ["G-14: at 95 % of the budget", "before-submit", sizes(129_200), "emergency"],
    ["G-16: over the budget, at a gate of the policy", "before-submit", sizes(150_000), "emergency"],
    ["over the budget, at any gate", "before-step", sizes(136_001), "over-budget"],
    ["exactly the budget fits", "before-step", sizes(136_000), null],
    ["what is pending counts for the budget", "before-step", sizes(100_000, { pendingTokens: 36_001 }), "over-budget"],
    ["what is pending does not count for sven's trigger", "before-submit", sizes(101_999, { pendingTokens: 10_000 }), null],
    [
      "the upper bound counts for the budget, not for the trigger",
      "before-submit",
      sizes(90_000, { upperTokens: 136_001 }),
      "over-budget",
    ],
    [
      "a bound that the last attempt left above the budget does not ask again before something is new",
      "before-submit",
      sizes(90_000, { upperTokens: 136_001, newTokens: 0 }),
      null,
    ],
    ["it asks again when something is", "before-submit", sizes(90_000, { upperTokens: 136_001, newTokens: 1 }), "over-budget"],
    ["a rejected request", "on-overflow", sizes(10), "overflow"],
    ["too little has arrived since the last compaction", "before-submit", sizes(110_000, { newTokens: 2719 }), null],
    ["enough has arrived: 2 % of the budget", "before-submit", sizes(110_000, { newTokens: 2720 }), "threshold"],
    ["what would not fit does not wait for more", "before-submit", sizes(140_000, { newTokens: 0 }), "over-budget"],
  ])("%s", (_, gate, at, reason) => {
    expect(reasonToAct(SVEN_POLICY, gate, budget, at)).toBe(reason);
  });

  test.each<[string, GateSizes, string | null]>([
    ["what would not fit is sent", sizes(90_000, { upperTokens: 136_001 }), null],
    ["little that is new is enough for its trigger", sizes(110_000, { newTokens: 1 }), "threshold"],
    ["its own trigger still fires", sizes(150_000), "emergency"],
  ])("without a fallback %s", (_, at, reason) => {
    expect(reasonToAct({ ...SVEN_POLICY, fallback: null }, "before-submit", budget, at)).toBe(reason);
  });

  test.each<[string, Partial<Policy>, GateSizes, string | null]>([
    [
      "a policy that counts what is pending",
      { gates: { at: ["before-submit"], countPending: true } },
      sizes(101_000, { pendingTokens: 1000 }),
      "threshold",
    ],
    ["a policy without an emergency", { emergency: null }, sizes(135_000), "threshold"],
    [
      "a policy that asks for more new material",
      { progress: { ...SVEN_POLICY.progress, minimumNewTokens: 5000 } },
      sizes(110_000, { newTokens: 4999 }),
      null,
    ],
  ])("%s", (_, changes, at, reason) => {
    expect(reasonToAct({ ...SVEN_POLICY, ...changes }, "before-submit", budget, at)).toBe(reason);
  });

  test.each<[string, Gate, GateSizes, string | null]>([
    ["after a pause at the lower line", "before-submit", sizes(60_000, { pauseMs: 300_000 }), "threshold"],
    ["after a pause below it", "before-submit", sizes(59_999, { pauseMs: 300_000 }), null],
    ["after a shorter one", "before-submit", sizes(60_000, { pauseMs: 299_999 }), null],
    ["if no time is known", "before-submit", sizes(60_000), null],
    ["not at a gate that the policy does not have", "before-step", sizes(60_000, { pauseMs: 300_000 }), null],
    ["not before enough has arrived", "before-submit", sizes(60_000, { pauseMs: 300_000, newTokens: 100 }), null],
  ])("a policy that knows pauses acts %s", (_, gate, at, reason) => {
    const afterPause = { pauseMs: 300_000, atLeast: { tokens: 60_000 } };
    expect(reasonToAct({ ...SVEN_POLICY, afterPause }, gate, budget, at)).toBe(reason);
    expect(reasonToAct(SVEN_POLICY, gate, budget, at)).toBeNull();
  });

  test.each<[Gate]>([["before-submit"], ["before-step"], ["after-tool-batch"], ["on-overflow"]])(
    "a policy that is off has no reason at %s",
    (gate) => {
      expect(reasonToAct(NONE_POLICY, gate, budget, sizes(1_000_000))).toBeNull();
    },
  );
});

/** 6,000 tokens of overhead and no message, in a window of 10,000. */
function gateAt(more: Partial<FitInput> = {}, changes: Partial<Policy> = {}, reportedAtMs: number | null = null) {
  const model = { contextWindowTokens: 10_000, maxOutputTokens: null };
  const estimator = createEstimator(SVEN_POLICY.estimator, createWorkCounter());
  const overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 6000 };
  const state = {
    estimator,
    ledger: EMPTY_LEDGER,
    overhead,
    newTokens: null,
    stepTokens: 0,
    isGoalMissed: false,
    reportedAtMs,
  };
  const input: FitInput = { gate: "on-overflow", pending: [], model, nowMs: null, ...more };
  return [{ ...state, policy: { ...SVEN_POLICY, ...changes } }, input] as const;
}

describe("a line is reached", () => {
  const limits = (contextWindowTokens: number | null) => ({ model: { contextWindowTokens, maxOutputTokens: null } });
  test.each<[string, Parameters<typeof gateAt>, Amount, boolean]>([
    ["at it", [], { tokens: 6000 }, true],
    ["not below it", [], { tokens: 6001 }, false],
    ["at a share of the budget", [], { ratio: 0.6, of: "input-budget" }, true],
    ["not below a share of it", [limits(10_001)], { ratio: 0.6, of: "input-budget" }, false],
    ["not in an unknown window", [limits(null), { unknownWindow: "off" }], { tokens: 1 }, false],
    [
      "in an unknown window that the policy has a size for",
      [limits(null), { unknownWindow: { tokens: 9000 } }],
      { tokens: 1 },
      true,
    ],
    ["not by a policy that is off", [{}, { enabled: false }], { tokens: 1 }, false],
  ])("%s", (_, given, atLeast, isReached) => {
    const [state, input] = gateAt(...given);
    expect(reaches(state, input, atLeast)).toBe(isReached);
  });
});

describe("whyAct", () => {
  const act = (...given: Parameters<typeof gateAt>) => whyAct(...gateAt(...given));
  const acts = (windowTokens: number, inputBudgetTokens: number) => ({
    kind: "act",
    reason: "overflow",
    budget: { windowTokens, inputBudgetTokens },
  });
  const limits = (contextWindowTokens: number | null, maxOutputTokens: number | null = null) => ({
    model: { contextWindowTokens, maxOutputTokens },
  });

  test.each<[string, Partial<FitInput>, Partial<Policy>, object]>([
    ["the model's window", {}, {}, acts(10_000, 10_000)],
    ["less what it may write", limits(10_000, 4000), {}, acts(10_000, 6000)],
    ["a smaller limit that the provider named", { observedLimitTokens: 8000 }, {}, acts(8000, 8000)],
    ["not a larger one", { observedLimitTokens: 12_000 }, {}, acts(10_000, 10_000)],
    [
      "what is planned to be written, within that limit",
      { ...limits(10_000, 7999), observedLimitTokens: 8000 },
      {},
      acts(8000, 1),
    ],
    ["half of the limit, if that leaves nothing", { ...limits(10_000, 8000), observedLimitTokens: 8001 }, {}, acts(8001, 1)],
    ["half of it, rounded down", { ...limits(10_000, 8001), observedLimitTokens: 8001 }, {}, acts(8001, 4001)],
    ["of an unknown window the policy's", limits(null), { unknownWindow: { tokens: 5000 } }, acts(5000, 5000)],
    ["or the limit that was named", { ...limits(null), observedLimitTokens: 7000 }, { unknownWindow: "off" }, acts(7000, 7000)],
    ["none otherwise", limits(null), { unknownWindow: "off" }, { kind: "unchanged", off: "unknown-window" }],
    ["none of a policy that is off", {}, { enabled: false }, { kind: "unchanged", off: "disabled" }],
    [
      "that of a policy that is off, if somebody asks",
      { now: { reason: "manual", keep: null } },
      { enabled: false },
      { ...acts(10_000, 10_000), reason: "manual" },
    ],
  ])("within %s", (_, more, changes, why) => {
    expect(act(more, changes)).toEqual(why);
  });

  test.each<[string, number | null, number | null, string]>([
    ["as long as the policy's", 400_000, 100_000, "act"],
    ["that is shorter", 399_999, 100_000, "unchanged"],
    ["of unknown length now", null, 100_000, "unchanged"],
    ["after no report", 400_000, null, "unchanged"],
  ])("after a pause %s", (_, nowMs, reportedAtMs, kind) => {
    const afterPause = { pauseMs: 300_000, atLeast: { tokens: 5000 } };
    expect(act({ gate: "before-submit", nowMs }, { afterPause }, reportedAtMs).kind).toBe(kind);
  });
});

const work = createWorkCounter();
const estimator = createEstimator(SVEN_POLICY.estimator, work);

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
  const state: FitState = {
    policy,
    kinds: BUILT_IN_KINDS,
    messages: () => [],
    lastEntryId: null,
    lastCompaction: null,
    modelId: null,
    isBoundReasoning: null,
    writer: null,
    ledger: EMPTY_LEDGER,
    overhead: { system: "", tools: [], dynamicContext: null, hiddenTokens: 300 },
    estimator: { ...estimator, upperRatioAfterCut: () => so.upperRatio ?? 1 },
    cutEstimator: () => estimator,
    summarizer: () => Promise.reject(new Error("not asked")),
    useModel: true,
    newTokens: null,
    stepTokens: 0,
    isGoalMissed: false,
    reportedAtMs: null,
    memory: createMemory({ recalls: false, work }).now(),
    beforeCompaction: null,
    prepared: null,
    failedPorts: [],
    deadline: { afterMs: 1, timer: () => () => undefined },
    work,
  };
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
    const room = { budgetTokens: 9500, roomTokens: 9500, limitTokens: 9500 };
    expect(goal("threshold")).toEqual({ ...room, lineTokens: 7500, retryTokens: null });
  });

  test("the room is smaller if its upper bound must fit: (10,000 − 200) / 1.25 − 300, and 2 for rounding", () => {
    const roomTokens = 7538;
    expect(goal("threshold", { upperRatio: 1.25 })).toMatchObject({ budgetTokens: 9500, roomTokens, limitTokens: roomTokens });
  });

  test.each<[string, CompactionReason, number]>([
    ["takes a fifth before a refusal: of 9,000", "over-budget", 7200],
    ["is not believed after one", "overflow", 7200],
  ])("an overhead that is believed to fill the window %s", (_, reason, limitTokens) => {
    expect(goal(reason, { budgetTokens: 400 })).toMatchObject({ budgetTokens: -100, limitTokens });
  });

  test.each<[string, Parameters<typeof goal>[1], number]>([
    ["shrinks by the excess that was counted: 10,000 of 12,500", { observedPromptTokens: 12_500 }, 7100],
    [
      "counts the reply on neither side: 10,000 of 13,500 less 1,000",
      { observedRequestTokens: 13_500, reserveTokens: 1000 },
      7100,
    ],
    [
      "grows if the estimate was too high: 400 of 500, of which 9,500 are expected",
      { observedPromptTokens: 500, budgetTokens: 400 },
      7100,
    ],
    ["shrinks to 80 % if what was counted was allowed", { observedPromptTokens: 9000 }, 7200],
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
    expect(goal("overflow", { recovery: recoveriesOf(SVEN_POLICY) - 1 })).toMatchObject({
      limitTokens: 2250,
    });
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
    expect(goal("overflow", { recovery: 1 })).toMatchObject({ budgetTokens: 9500, roomTokens: 9500 });
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
