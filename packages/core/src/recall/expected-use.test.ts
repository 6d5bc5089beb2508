import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectedUse, mostUseGrowth } from "./expected-use.ts";
import type { UnitFacts } from "./units.ts";
import { USE_FEATURE_NAMES, USE_FEATURES } from "./use-features.ts";
import { USE_WEIGHTS } from "./use-weights.ts";

const PLAIN: UnitFacts = {
  kind: "read",
  chars: 600,
  ageChars: 50_000,
  restatedRatio: 0,
  quotes: 0,
  mentions: 0,
  sinceUseChars: null,
  file: null,
};

const FILE: NonNullable<UnitFacts["file"]> = {
  reads: 2,
  writes: 1,
  sinceTouchChars: 10_000,
  sinceWriteChars: 10_000,
  isWrittenSince: false,
};

describe("expected use", () => {
  test.each<[string, Partial<UnitFacts>, Partial<UnitFacts>]>([
    ["what is newer", { ageChars: 1000 }, { ageChars: 100_000 }],
    ["what the model has named", { mentions: 5, sinceUseChars: 5000 }, {}],
    ["what it named lately", { mentions: 5, sinceUseChars: 1000 }, { mentions: 5, sinceUseChars: 90_000 }],
    ["what a tool gave, more than what the model said", {}, { kind: "said" }],
    ["what was read, more than what was written", {}, { kind: "written" }],
    ["what the file still says", { file: FILE }, { file: { ...FILE, isWrittenSince: true } }],
    ["what was not stated again", {}, { restatedRatio: 0.7 }],
  ])("%s is expected more", (_, more, less) => {
    expect(expectedUse({ ...PLAIN, ...more })).toBeGreaterThan(expectedUse({ ...PLAIN, ...less }));
  });

  describe("of any unit", () => {
    const chars = fc.integer({ min: -10, max: 2_000_000 });
    const count = fc.integer({ min: 0, max: 40 });
    const file = fc.record({
      reads: count,
      writes: count,
      sinceTouchChars: chars,
      sinceWriteChars: fc.option(chars),
      isWrittenSince: fc.boolean(),
    });
    const unit: fc.Arbitrary<UnitFacts> = fc.record({
      kind: fc.constantFrom("read", "output", "failed", "written", "said", "person"),
      chars: fc.nat(20_000),
      ageChars: chars,
      restatedRatio: fc.constantFrom(0, 0.125, 0.5, 0.75),
      quotes: count,
      mentions: count,
      sinceUseChars: fc.option(chars),
      file: fc.option(file),
    });

    test("is the exponential of the weighted sum of all features, to the last bit", () => {
      fc.assert(
        fc.property(unit, (facts) => {
          const sum = USE_FEATURE_NAMES.reduce((all, name) => all + USE_WEIGHTS.weights[name] * USE_FEATURES[name](facts), 0);
          expect(expectedUse(facts)).toBe(Math.exp(sum));
        }),
        { numRuns: 2000 },
      );
    });

    test("grows no more than it is said to while nothing becomes of it and its file", () => {
      const later = (since: number | null, passedChars: number) => (since === null ? null : since + passedChars);
      fc.assert(
        fc.property(unit, fc.nat(2_000_000), (facts, passedChars) => {
          const use = expectedUse({
            ...facts,
            ageChars: facts.ageChars + passedChars,
            sinceUseChars: later(facts.sinceUseChars, passedChars),
            file: facts.file && {
              ...facts.file,
              sinceTouchChars: facts.file.sinceTouchChars + passedChars,
              sinceWriteChars: later(facts.file.sinceWriteChars, passedChars),
            },
          });
          expect(use).toBeLessThanOrEqual(expectedUse(facts) * mostUseGrowth(passedChars) * (1 + 1e-12));
        }),
        { numRuns: 2000 },
      );
    });
  });
});
