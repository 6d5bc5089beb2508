import { describe, expect, test } from "vitest";
import type { UnitFacts } from "../keep/keep-rule.ts";
import { expectedUse } from "./recall.ts";
import { useFeatures } from "./use-features.ts";

/** A unit of no file, unused and just stated. */
const PLAIN: UnitFacts = {
  kind: "output",
  chars: 50,
  ageChars: 0,
  restatedRatio: 0,
  quotes: 0,
  mentions: 0,
  sinceUseChars: null,
  shared: 0,
  file: null,
};

const FILE: NonNullable<UnitFacts["file"]> = {
  reads: 0,
  writes: 0,
  sinceTouchChars: 0,
  sinceWriteChars: null,
  isWrittenSince: false,
};

type UseFeature = keyof ReturnType<typeof useFeatures>;

/** Returns the features that are not 0, in thousandths. */
function featuresOf(facts: Partial<UnitFacts>): Partial<Record<UseFeature, number>> {
  const values = Object.entries(useFeatures({ ...PLAIN, ...facts })).map(
    ([name, value]) => [name, Math.round(1000 * value)] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== 0));
}

/** ln 2, ln 3, ln 4, and ln 100, which a unit of 50 characters has as its length. */
const [LN_2, LN_3, LN_4, LENGTH] = [693, 1099, 1386, 4605];

describe("features of a unit", () => {
  test.each<[UnitFacts["kind"], Partial<Record<UseFeature, number>>]>([
    ["read", { isRead: 1000 }],
    ["output", { isOutput: 1000 }],
    ["failed", { isFailed: 1000 }],
    ["written", { isWritten: 1000 }],
    ["said", { isSaid: 1000 }],
    ["person", { isPerson: 1000 }],
  ])("%s is one kind of six", (kind, features) => {
    expect(featuresOf({ kind })).toEqual({ ...features, length: LENGTH });
  });

  test.each<[string, Partial<UnitFacts>, Partial<Record<UseFeature, number>>]>([
    ["distances are in thousands of characters", { ageChars: 2000 }, { age: LN_3 }],
    ["how much was stated again", { restatedRatio: 0.25 }, { restatedRatio: 250 }],
    ["quotes", { quotes: 1 }, { quotes: LN_2 }],
    ["mentions", { mentions: 3 }, { mentions: LN_4 }],
    ["a use just now is a use", { sinceUseChars: 0 }, { isUsed: 1000 }],
    ["a use a while ago", { sinceUseChars: 3000 }, { isUsed: 1000, sinceUse: LN_4 }],
    ["a file", { file: FILE }, { hasFile: 1000 }],
    ["a file that was read", { file: { ...FILE, reads: 2 } }, { hasFile: 1000, fileReads: LN_3 }],
    ["a file touched a while ago", { file: { ...FILE, sinceTouchChars: 1000 } }, { hasFile: 1000, sinceFileTouch: LN_2 }],
    [
      "a file that was written, and the text since",
      { file: { ...FILE, writes: 1, sinceWriteChars: 2000, isWrittenSince: true } },
      { hasFile: 1000, fileWrites: LN_2, isFileWritten: 1000, sinceFileWrite: LN_3, isFileWrittenSince: 1000 },
    ],
  ])("%s", (_, facts, features) => {
    expect(featuresOf(facts)).toEqual({ isOutput: 1000, ...features, length: LENGTH });
  });

  test("a length counts from fifty characters on", () => {
    expect(featuresOf({ chars: 950 })).toEqual({ isOutput: 1000, length: 6908 });
  });
});

describe("expected use", () => {
  const READ: UnitFacts = { ...PLAIN, kind: "read", chars: 600, ageChars: 50_000 };
  const WRITTEN = { ...FILE, reads: 2, writes: 1, sinceTouchChars: 10_000, sinceWriteChars: 10_000 };

  test.each<[string, Partial<UnitFacts>, Partial<UnitFacts>]>([
    ["what is newer", { ageChars: 1000 }, { ageChars: 100_000 }],
    ["what the model has named", { mentions: 5, sinceUseChars: 5000 }, {}],
    ["what it named lately", { mentions: 5, sinceUseChars: 1000 }, { mentions: 5, sinceUseChars: 90_000 }],
    ["what a tool gave, more than what the model said", {}, { kind: "said" }],
    ["what was read, more than what was written", {}, { kind: "written" }],
    ["what the file still says", { file: WRITTEN }, { file: { ...WRITTEN, isWrittenSince: true } }],
    ["what was not stated again", {}, { restatedRatio: 0.7 }],
  ])("%s is expected more", (_, more, less) => {
    expect(expectedUse({ ...READ, ...more })).toBeGreaterThan(expectedUse({ ...READ, ...less }));
  });
});
