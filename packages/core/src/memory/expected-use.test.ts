import { describe, expect, test } from "vitest";
import type { UnitFacts } from "../keep/keep-rule.ts";
import { expectedUse } from "./recall.ts";

const PLAIN: UnitFacts = {
  kind: "read",
  chars: 600,
  ageChars: 50_000,
  restatedRatio: 0,
  quotes: 0,
  mentions: 0,
  sinceUseChars: null,
  shared: 0,
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
});
