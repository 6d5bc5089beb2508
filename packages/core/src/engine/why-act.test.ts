import { describe, expect, test } from "vitest";
import type { Gate } from "../entry.ts";
import type { Policy } from "../policy/policy.ts";
import { NONE_POLICY } from "../policy/presets/none.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { GateSizes } from "./why-act.ts";
import { reasonToAct } from "./why-act.ts";

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
  return { prediction, pendingTokens: 0, newTokens: null, pauseMs: null, ...rest };
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
