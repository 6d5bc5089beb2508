import { expect, test } from "vitest";
import { type LimitEvent, learnedInLog, learnedWindowTokens } from "./learned-limit.ts";

const RESERVE = 1_000;
const answered = (promptTokens: number, modelId = "a"): LimitEvent => ({ kind: "answered", modelId, promptTokens });
const refused = (limitTokens: number | null, expectedTokens: number, afterTokens = 5_000): LimitEvent => {
  return { kind: "refused", entryId: "c", modelId: "a", limitTokens, expectedTokens, afterTokens, atMs: 0 };
};

const DAY_MS = 86_400_000;

test.each<[string, readonly LimitEvent[], number | null, number?]>([
  ["until a day later", [answered(9_000), refused(20_000, 25_000)], 20_000, DAY_MS],
  ["not any more after that", [answered(9_000), refused(20_000, 25_000)], null, DAY_MS + 1],
  ["nor after a larger answer", [refused(20_000, 25_000), answered(20_001)], null],
  ["nothing was refused", [answered(9_000)], null],
  [
    "without one, half of the way between what was answered and what was refused",
    [answered(9_000), refused(null, 19_000), answered(5_000)],
    15_000,
  ],
  ["what an estimate refused is measured by the answer after it", [refused(null, 20_000, 5_000), answered(10_000)], 26_000],
  ["another model's say nothing", [answered(18_000, "b"), answered(9_000), refused(null, 19_000), answered(5_000)], 15_000],
])("%s", (_, events, windowTokens, nowMs = 0) => {
  expect(learnedWindowTokens(learnedInLog(events, { modelId: "a", reserveTokens: RESERVE, nowMs }), RESERVE)).toBe(
    windowTokens,
  );
});
