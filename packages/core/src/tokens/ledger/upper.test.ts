import { describe, expect, test } from "vitest";
import { account, knownModel, load, nextModel } from "../../testing/ledger-values.ts";
import type { Account, Base } from "./account.ts";
import type { NextPrompt } from "./next-prompt.ts";
import { upperRatioAfterCut, upperTokensOf } from "./upper.ts";

const NO_PROMPT: NextPrompt = {
  expectedTokens: 1000,
  reportedTokens: 0,
  overheadTokens: 0,
  rule: null,
  returnedTokens: 0,
  returnedReasoningTokens: 0,
  thrownAwayTokens: 0,
  arrivedTokens: 0,
  turnTokens: 0,
  vanishingTokens: 0,
};
const residuals = { anchored: 0.01, "after-cut": 0.1, "after-switch": 0.2, "after-surge": 0.3, "first-call": 0.4 };
const nothing: Base = { kind: "nothing" };
const cut: Base = { kind: "cut", measuredTokens: 0, measuredLoad: load(0, 0), load: load(0, 0) };

describe("the upper bound", () => {
  // 1,000 × (1 + 0.003 + 1.2 × the regime's residual)
  test.each<[string, Partial<Account>, number]>([
    ["after a report: 1 + 0.003 + 1.2 × 0.01", {}, 1015],
    ["after a cut: 1 + 0.003 + 1.2 × 0.1", { base: cut }, 1123],
    ["after a switch: 1 + 0.003 + 1.2 × 0.2", { nextModelId: "other" }, 1243],
    ["after a cut and a switch, as after a switch", { base: cut, nextModelId: "other" }, 1243],
    ["of a next model that is not named, as of the same", { nextModelId: null }, 1015],
    ["at a first call: 1 + 0.003 + 1.2 × 0.4", { base: nothing, nextModelId: "other" }, 1483],
    // 2 × 10 + 10 = 30 expected: noise of 8 + 0.06 × 30 = 9.8, twice
    ["with two deviations of what came since: 1,015 + 2 × 9.8", { pending: load(10, 1) }, 1034.6],
    ["of which a first call knows nothing", { base: nothing, pending: load(10, 1) }, 1483],
    ["nor a request without anything new", { pending: load(10, 0) }, 1015],
  ])("%s", (_, more, tokens) => {
    expect(upperTokensOf(account({ residuals, ...more }), nextModel(), NO_PROMPT)).toBeCloseTo(tokens, 9);
  });

  test("what untrusted counts hide and what was thrown away have room: 1,015 + 0.5 × 0.4 × 100 + 7", () => {
    const model = nextModel(knownModel(2, { untrustedRatio: 0.4 }));
    const prompt = { ...NO_PROMPT, returnedTokens: 100, thrownAwayTokens: 7 };
    expect(upperTokensOf(account({ residuals }), model, prompt)).toBeCloseTo(1042, 9);
  });

  test.each<[string, Partial<Account>, number]>([
    ["what stands on a report stands on a cut then", {}, 1.123],
    ["a cut after a cut is one", { base: cut }, 1.123],
    ["after a switch it is still after a switch", { nextModelId: "other" }, 1.243],
    ["before a first call it is still one", { base: nothing }, 1.483],
  ])("right after a cut: %s", (_, more, ratio) => {
    expect(upperRatioAfterCut(account({ residuals, ...more }))).toBeCloseTo(ratio, 12);
  });
});
