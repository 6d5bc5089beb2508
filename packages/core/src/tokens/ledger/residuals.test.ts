import { describe, expect, test } from "vitest";
import type { Regime, Residuals } from "./residuals.ts";
import { ASSUMED_RESIDUALS, afterReport } from "./residuals.ts";

describe("residuals", () => {
  test.each<[string, Regime, Partial<Residuals>, number, number]>([
    // 1,030 of 1,000: 3 % more than expected
    ["an under-estimate is kept", "anchored", {}, 1030, 0.03],
    ["beyond 5 % it is an event: 5 %", "anchored", {}, 1200, 0.05],
    ["a regime that is assumed worse than that has its own most", "after-cut", { "after-cut": 0 }, 1200, 0.08],
    // 0.0015 + 0.977 × (0.0415 − 0.0015)
    ["an over-estimate lets the peak fade toward what is assumed", "anchored", { anchored: 0.0415 }, 900, 0.04058],
    ["a smaller under-estimate lets it fade as well", "anchored", { anchored: 0.0415 }, 1010, 0.04058],
    ["a larger one takes its place", "anchored", { anchored: 0.0415 }, 1045, 0.045],
  ])("%s", (_, regime, before, promptTokens, after) => {
    const residuals = { ...ASSUMED_RESIDUALS, ...before };
    const next = afterReport(residuals, regime, { expectedTokens: 1000, promptTokens });
    expect(next[regime]).toBeCloseTo(after, 12);
    expect({ ...next, [regime]: residuals[regime] }).toEqual(residuals);
  });

  test.each([0, -5])("an expectation of %s tokens is none", (expectedTokens) => {
    expect(afterReport(ASSUMED_RESIDUALS, "anchored", { expectedTokens, promptTokens: 100 })).toBe(ASSUMED_RESIDUALS);
  });
});
