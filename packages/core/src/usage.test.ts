import { expect, test } from "vitest";
import { UNREPORTED_USAGE, usageOf } from "./usage.ts";

test.each([
  [
    "disjoint counts are added up",
    { uncachedTokens: 10, cacheReadTokens: 200, cacheWriteTokens: 30 },
    { totalTokens: 240, uncachedTokens: 10, cacheReadTokens: 200, cacheWriteTokens: 30 },
  ],
  [
    "an inclusive count has its cached part taken out",
    { totalInputTokens: 240, cacheReadTokens: 200 },
    { totalTokens: 240, uncachedTokens: 40, cacheReadTokens: 200, cacheWriteTokens: null },
  ],
  [
    "what is not reported stays unknown, and zero stays zero",
    { uncachedTokens: 10, cacheReadTokens: 0 },
    { totalTokens: 10, uncachedTokens: 10, cacheReadTokens: 0, cacheWriteTokens: null },
  ],
  [
    "a cached part larger than the whole was not in it",
    { totalInputTokens: 100, cacheReadTokens: 90, cacheWriteTokens: 30 },
    { totalTokens: 220, uncachedTokens: 100, cacheReadTokens: 90, cacheWriteTokens: 30 },
  ],
  [
    "so does a library that took it out of such a whole",
    { totalInputTokens: 100, uncachedTokens: -20, cacheReadTokens: 120 },
    { totalTokens: 220, uncachedTokens: 100, cacheReadTokens: 120, cacheWriteTokens: null },
  ],
])("usageOf: %s", (_, parts, input) => {
  expect(usageOf(parts).input).toEqual({ ...input, cacheWriteOneHourTokens: null });
});

test("usageOf bills the prompt and the reply if the vendor says nothing else", () => {
  expect(usageOf({ totalInputTokens: 100, outputTokens: 7 }).billed).toEqual({ inputTokens: 100, outputTokens: 7 });
  expect(usageOf({ totalInputTokens: 100, billed: { inputTokens: 150, outputTokens: 9 } }).billed).toEqual({
    inputTokens: 150,
    outputTokens: 9,
  });
});

test("an unreported usage holds no number", () => {
  expect(UNREPORTED_USAGE.input.totalTokens).toBeNull();
  expect(UNREPORTED_USAGE.billed.inputTokens).toBeNull();
});
