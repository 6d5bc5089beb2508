import { expect, test } from "vitest";
import { type LimitEvent, learnedInLog, learnedWindowTokens } from "./learned-limit.ts";

const RESERVE = 1_000;
const answered = (promptTokens: number, modelId = "a", times = 1): LimitEvent => {
  return { kind: "answered", modelId, promptTokens, times };
};
const refused = (limitTokens: number | null, expectedTokens: number, more = {}): LimitEvent => {
  return { kind: "refused", entryId: "c", modelId: "a", limitTokens, expectedTokens, afterTokens: 5_000, atMs: 0, ...more };
};
const unknown = (tokens: number) => refused(null, tokens, { words: "unknown" });
const answers = (times: number) => [answered(5_000), answered(9_000, "a", times - 1)];
const twice = [unknown(10_000), ...answers(9), unknown(10_000)];

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
  ["what an estimate refused is measured by the answer after it", [refused(null, 20_000), answered(10_000)], 26_000],
  ["another model's say nothing", [answered(18_000, "b"), answered(9_000), refused(null, 19_000), answered(5_000)], 15_000],
  ["unknown words teach nothing the first time: it may be a fault of the moment", [unknown(10_000), ...answers(9)], null],
  ["unknown words teach the second time", [unknown(20_000), ...answers(9), unknown(18_000), answered(5_000)], 14_500],
  ["unknown words teach nothing at another size", [unknown(20_000), ...answers(9), unknown(15_000), answered(5_000)], null],
  ["unknown words are refuted", [unknown(20_000), answered(21_000), unknown(20_000), ...answers(9)], null],
  ["unknown words teach for so many answers", [...twice, ...answers(19)], 10_500],
  ["unknown words teach no longer", [...twice, ...answers(20)], null],
  ["unknown words teach for twice as many the next time", [...twice, ...answers(20), unknown(10_000), ...answers(39)], 10_500],
  ["unknown words behind others", [refused(null, 10_000), ...answers(9), unknown(9_800), ...answers(40)], 10_500],
])("%s", (_, events, windowTokens, nowMs = 0) => {
  expect(learnedWindowTokens(learnedInLog(events, { modelId: "a", reserveTokens: RESERVE, nowMs }), RESERVE)).toBe(
    windowTokens,
  );
});
