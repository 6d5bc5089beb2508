import { CHAR_CLASSES, countClasses } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import type { SessionObservations } from "./observations.ts";
import { refit } from "./refit.ts";

const WORDS = ["value", "(index)", "12345", "\n    ", "GetName", "src/file.ts", "=> {", "the", "quick", "configuration"];

/** Sessions whose text costs known weights, times each session's own slope, plus its own intercept. */
function sessionsOf(
  lines: readonly { readonly slope: number; readonly intercept: number }[],
  weights: readonly number[],
): readonly SessionObservations[] {
  return lines.map(({ slope, intercept }, session) => ({
    name: `session-${session}`,
    repository: `repository-${session}`,
    measured: Array.from({ length: 60 }, (_, index) => {
      const counts = CHAR_CLASSES.map(() => 0);
      const text = Array.from(
        { length: 40 + 13 * index },
        (__, place) => WORDS[(place * (index + 3) + session) % WORDS.length],
      ).join(" ");
      countClasses(text, counts);
      const weighed = counts.reduce((sum, count, at) => sum + count * (weights[at] ?? 0), 0);
      return { modelId: "test", counts, messages: 1, tokens: slope * weighed + intercept };
    }),
  }));
}

test("finds each session's slope beside the others', and its intercept", () => {
  const weights = CHAR_CLASSES.map((_, index) => 0.3 + 0.05 * (index % 5));
  const { sessions } = refit(
    sessionsOf(
      [
        { slope: 1, intercept: 10 },
        { slope: 1.3, intercept: 25 },
      ],
      weights,
    ),
  );
  expect((sessions[1]?.slopeRatio ?? 0) / (sessions[0]?.slopeRatio ?? 1)).toBeCloseTo(1.3, 1);
  expect(sessions[1]?.messageTokens ?? 0).toBeGreaterThan(sessions[0]?.messageTokens ?? 0);
});

test("no class counts for nothing, even if its sessions say so", () => {
  const truth = CHAR_CLASSES.map((name) => (name.startsWith("letters") ? -0.1 : 0.5));
  const { weights } = refit(sessionsOf([{ slope: 1, intercept: 0 }], truth));
  // Half of the 0.06, 0.1 and 0.25 tokens a letter that were expected of them.
  for (const [at, least] of [0.03, 0.05, 0.12].entries()) expect(weights[4 + at]).toBeGreaterThanOrEqual(least);
  expect(Math.min(...weights)).toBeGreaterThan(0);
});

test("its weights price text like that which they were fitted on", () => {
  const truth = CHAR_CLASSES.map((_, index) => 0.25 + 0.1 * (index % 4));
  const data = sessionsOf([{ slope: 1, intercept: 0 }], truth);
  const { weights, sessions } = refit(data);
  const slope = sessions[0]?.slopeRatio ?? 1;
  const intercept = sessions[0]?.messageTokens ?? 0;
  const errors = (data[0]?.measured ?? []).map(({ counts, tokens }) => {
    const expected = slope * counts.reduce((sum, count, at) => sum + count * (weights[at] ?? 0), 0) + intercept;
    return Math.abs(expected - tokens) / tokens;
  });
  expect(Math.max(...errors)).toBeLessThan(0.05);
});
