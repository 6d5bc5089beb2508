import { describe, expect, test } from "vitest";
import type { Amount } from "../budget.ts";
import type { Gate } from "../entry.ts";
import type { Policy } from "../policy/policy.ts";
import { NONE_POLICY } from "../policy/presets/none.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { createEstimator } from "../tokens/built-in-estimators.ts";
import { EMPTY_LEDGER } from "../tokens/estimator.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import type { FitInput } from "./fit-input.ts";
import { type GateSizes, reaches, reasonToAct, whyAct } from "./why-act.ts";

const budget = { windowTokens: 200_000, inputBudgetTokens: 136_000 };

function sizes(usedTokens: number, more: Partial<GateSizes> & { readonly upperTokens?: number } = {}): GateSizes {
  const { upperTokens = usedTokens, ...rest } = more;
  const expected = { expectedTokens: usedTokens, estimatedTokens: usedTokens, upperTokens };
  const prediction = { ...expected, reportedTokens: 0, overheadTokens: 0, basis: "test" };
  const cache = () => ({ lifeMs: 3_600_000, rewriteRatio: 10 });
  const none = {
    pendingTokens: 0,
    newTokens: null,
    sinceCallTokens: null,
    stepTokens: 0,
    isGoalMissed: false,
    pauseMs: null,
  };
  return { prediction, ...none, upperRatioAfterCut: 1, cache, ...rest };
}

const [SUBMIT, STEP] = ["before-submit", "before-step"] as const;

describe("reasonToAct", () => {
  test.each<[string, Gate, GateSizes, string | null]>([
    ["E-6: below the trigger", SUBMIT, sizes(101_999), null],
    ["E-7: at the trigger", SUBMIT, sizes(102_000), "threshold"],
    ["after a batch of results too", "after-tool-batch", sizes(102_000), "threshold"],
    ["not at a gate that the policy does not have", STEP, sizes(102_000), null],
    ["just below the emergency", SUBMIT, sizes(129_199), "threshold"],
    ["G-14: at 95 % of the budget", SUBMIT, sizes(129_200), "emergency"],
    ["G-16: over the budget, at a gate of the policy", SUBMIT, sizes(150_000), "emergency"],
    ["over the budget, at any gate", STEP, sizes(136_001), "over-budget"],
    ["exactly the budget fits", STEP, sizes(136_000), null],
    ["what is pending counts for the budget", STEP, sizes(100_000, { pendingTokens: 36_001 }), "over-budget"],
    ["what is pending does not count for sven's trigger", SUBMIT, sizes(101_999, { pendingTokens: 10_000 }), null],
    ["the bound counts for the budget, not the trigger", SUBMIT, sizes(90_000, { upperTokens: 136_001 }), "over-budget"],
    [
      "a bound that the last attempt left above it does not ask before something is new",
      SUBMIT,
      sizes(90_000, { upperTokens: 136_001, newTokens: 0 }),
      null,
    ],
    ["it asks again when something is", SUBMIT, sizes(90_000, { upperTokens: 136_001, newTokens: 1 }), "over-budget"],
    ["a rejected request", "on-overflow", sizes(10), "overflow"],
    ["too little has arrived since the last compaction", SUBMIT, sizes(110_000, { newTokens: 2719 }), null],
    ["enough has arrived: 2 % of the budget", SUBMIT, sizes(110_000, { newTokens: 2720 }), "threshold"],
    ["what would not fit does not wait for more", SUBMIT, sizes(140_000, { newTokens: 0 }), "over-budget"],
  ])("%s", (_, gate, at, reason) => {
    expect(reasonToAct(SVEN_POLICY, gate, budget, at)).toBe(reason);
  });

  test.each<[string, GateSizes, string | null]>([
    ["what would not fit is sent", sizes(90_000, { upperTokens: 136_001 }), null],
    ["little that is new is enough for its trigger", sizes(110_000, { newTokens: 1 }), "threshold"],
    ["its own trigger still fires", sizes(150_000), "emergency"],
  ])("without a fallback %s", (_, at, reason) => {
    expect(reasonToAct({ ...SVEN_POLICY, fallback: null }, SUBMIT, budget, at)).toBe(reason);
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
      "a policy that asks for more new",
      { progress: { ...SVEN_POLICY.progress, minimumNewTokens: 5000 } },
      sizes(110_000, { newTokens: 4999 }),
      null,
    ],
  ])("%s", (_, changes, at, reason) => {
    expect(reasonToAct({ ...SVEN_POLICY, ...changes }, SUBMIT, budget, at)).toBe(reason);
  });

  test.each<[string, Gate, GateSizes, string | null]>([
    ["after a pause at the lower line", SUBMIT, sizes(60_000, { pauseMs: 300_000 }), "threshold"],
    ["after a pause below it", SUBMIT, sizes(59_999, { pauseMs: 300_000 }), null],
    ["after a shorter one", SUBMIT, sizes(60_000, { pauseMs: 299_999 }), null],
    ["if no time is known", SUBMIT, sizes(60_000), null],
    ["not at a gate that the policy does not have", STEP, sizes(60_000, { pauseMs: 300_000 }), null],
    ["not before enough has arrived", SUBMIT, sizes(60_000, { pauseMs: 300_000, newTokens: 100 }), null],
  ])("a policy that knows pauses acts %s", (_, gate, at, reason) => {
    const afterPause = { after: 300_000, atLeast: { tokens: 60_000 } };
    expect(reasonToAct({ ...SVEN_POLICY, afterPause }, gate, budget, at)).toBe(reason);
    expect(reasonToAct(SVEN_POLICY, gate, budget, at)).toBeNull();
  });

  const lives = (lifeMs: number) => ({ cache: () => ({ lifeMs, rewriteRatio: 20 }) });
  test.each<[string, Partial<GateSizes>, string | null]>([
    ["not after ten minutes if writes live an hour", { pauseMs: 600_000, ...lives(3_600_000) }, null],
    ["after ten minutes if they live five", { pauseMs: 600_000, ...lives(300_000) }, "threshold"],
    ["after an hour", { pauseMs: 3_600_000, ...lives(3_600_000) }, "threshold"],
    ["not after a clock that went back", { pauseMs: -600_000, ...lives(300_000) }, null],
    ["not if no time is known", lives(300_000), null],
  ])("a policy that waits for the cache to expire acts %s", (_, more, reason) => {
    const afterPause = { after: "cache-expiry", atLeast: { tokens: 60_000 } } as const;
    expect(reasonToAct({ ...SVEN_POLICY, afterPause }, "before-submit", budget, sizes(60_000, more))).toBe(reason);
  });

  // Half of 68,000 tokens buys 34 steps of 1,000. In a window that is half full a policy that says 16 asks for 8.5 × (ratio − 1).
  const priced = (rewriteRatio: number, pauseMs: number | null = null) =>
    sizes(68_000, { stepTokens: 1000, pauseMs, cache: () => ({ lifeMs: 300_000, rewriteRatio }) });
  test.each<[string, GateSizes, string | null]>([
    ["where it is cheap", priced(5), "threshold"],
    ["not where it is dear", priced(5.1), null],
    ["where the cache is cold, at any price", priced(80, 300_000), "threshold"],
    ["not at a size that was planned at before", { ...priced(5), sinceCallTokens: 0 }, null],
    ["when enough is new", { ...priced(5), sinceCallTokens: 2720 }, "threshold"],
    ["where the cache is cold, whatever did not pay", { ...priced(80, 300_000), sinceCallTokens: 0 }, "threshold"],
    ["where the window is full, at any price", { ...priced(80), prediction: sizes(130_000).prediction }, "threshold"],
    ["not below its line", { ...priced(1), prediction: sizes(50_999).prediction }, null],
  ])("a policy whose cuts must pay acts %s", (_, at, reason) => {
    const trigger = { atLeast: { tokens: 51_000 }, pays: 16 };
    expect(reasonToAct({ ...SVEN_POLICY, emergency: null, trigger }, "before-submit", budget, at)).toBe(reason);
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
    setup: { estimator },
    ledger: EMPTY_LEDGER,
    overhead,
    prediction: estimator.predict(EMPTY_LEDGER, overhead),
    breaker: { failures: 0, estimatedAtLastAttemptTokens: null, isGoalMissed: false },
    writer: null,
    cache: () => ({ lifeMs: 3_600_000, rewriteRatio: 10 }),
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
      "in an unknown window with a size in the policy",
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
    budget: expect.objectContaining({ windowTokens, inputBudgetTokens }),
    price: { pays: 0, stepTokens: 0, rewriteRatio: 10, isCold: false },
  });
  const limits = (contextWindowTokens: number | null, maxOutputTokens: number | null = null) => ({
    model: { contextWindowTokens, maxOutputTokens },
  });

  test.each<[string, Partial<FitInput>, Partial<Policy>, object]>([
    ["the model's window", {}, {}, acts(10_000, 10_000)],
    ["less what it may write", limits(10_000, 4000), {}, acts(10_000, 6000)],
    ["a smaller limit that the provider named", { observedLimitTokens: 8000 }, {}, acts(8000, 8000)],
    ["not a larger one", { observedLimitTokens: 12_000 }, {}, acts(10_000, 10_000)],
    ["what is to be written, within that limit", { ...limits(10_000, 7999), observedLimitTokens: 8000 }, {}, acts(8000, 1)],
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
    const afterPause = { after: 300_000, atLeast: { tokens: 5000 } };
    expect(act({ gate: "before-submit", nowMs }, { afterPause }, reportedAtMs).kind).toBe(kind);
  });
});
