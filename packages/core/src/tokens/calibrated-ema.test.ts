import { describe, expect, test } from "vitest";
import { SVEN_LENGTH_ESTIMATE } from "../policy/presets/sven.ts";
import { type CalibratedEmaSpec, nextFactor } from "./calibrated-ema.ts";

const spec: CalibratedEmaSpec = {
  kind: "calibrated-ema",
  of: SVEN_LENGTH_ESTIMATE,
  alphaRatio: 0.2,
  minimumFactor: 0.5,
  maximumFactor: 3,
};

/** The factor after the same report a number of times, from 1. */
function after(times: number, actualTokens: number, estimatedTokens: number): number {
  return Array.from({ length: times }).reduce<number>((factor) => nextFactor(factor, actualTokens, estimatedTokens, spec), 1);
}

describe("nextFactor", () => {
  test.each([
    [1, 1.06],
    [2, 1.108],
    [3, 1.1464],
    [4, 1.17712],
    [5, 1.201696],
    [6, 1.221357],
  ])("C-1: 130 for 100, %i times: %f", (times, factor) => {
    expect(after(times, 130, 100)).toBeCloseTo(factor, 6);
  });

  test("C-2: after twenty reports, and by its closed form", () => {
    expect(after(20, 130, 100)).toBeCloseTo(1.2965413, 6);
    expect(after(20, 130, 100)).toBeCloseTo(1.3 + (1 - 1.3) * 0.8 ** 20, 12);
  });

  test.each([
    ["C-3: nothing was estimated", 100, 0],
    ["C-4: nothing was reported", 0, 100],
  ])("%s: unchanged", (_, actualTokens, estimatedTokens) => {
    expect(nextFactor(1, actualTokens, estimatedTokens, spec)).toBe(1);
  });

  test("C-6: never below its minimum", () => {
    expect(after(50, 10, 1000)).toBe(0.5);
  });

  test.each([
    ["C-7: clamped at once", 30_000, 100],
    ["C-8: exactly at the maximum", 1100, 100],
    ["C-8: just over it", 1101, 100],
  ])("%s", (_, actualTokens, estimatedTokens) => {
    expect(nextFactor(1, actualTokens, estimatedTokens, spec)).toBeCloseTo(3, 12);
    expect(nextFactor(1, actualTokens, estimatedTokens, spec)).toBeLessThanOrEqual(3);
  });

  test("C-14: overhead inside the ratio leaves a fixed point that is too low", () => {
    const schemaTokens = 10_000;
    const messageTokens = 50_000;
    const factor = after(100, 72_000, messageTokens + schemaTokens);
    expect(factor).toBeCloseTo(1.2, 6);
    expect(messageTokens * factor + schemaTokens).toBeCloseTo(70_000, 3);
  });
});
