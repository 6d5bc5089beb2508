import { describe, expect, test } from "vitest";
import type { FitOutcome } from "../engine/fit-input.ts";
import type { StepOutcome } from "../entry.ts";
import { compaction, NO_RECORD } from "../testing/builders.ts";
import { afterAttempt, CLOSED_BREAKER } from "./breaker.ts";

const step = (strategy: string, outcome: StepOutcome["outcome"]): StepOutcome => ({ strategy, outcome, detail: null });
const compacted = (...steps: readonly StepOutcome[]): FitOutcome => ({
  kind: "compacted",
  entry: { ...compaction("c", []), record: { ...NO_RECORD, steps } },
});
const failed = (...steps: readonly StepOutcome[]): FitOutcome => ({ kind: "failed", reason: "threshold", steps });
const irreducible = (...steps: readonly StepOutcome[]): FitOutcome => ({
  kind: "irreducible",
  reason: "over-budget",
  budgetTokens: 10,
  parts: [],
  steps,
});

describe("afterAttempt", () => {
  test.each<[string, FitOutcome, number]>([
    [
      "a summary that failed counts, although another rung compacted",
      compacted(step("summarize", "failed"), step("digest", "applied")),
      3,
    ],
    ["a summary that was no progress counts", compacted(step("summarize", "no-progress"), step("drop-oldest", "applied")), 3],
    ["a summary that worked clears the count", compacted(step("summarize", "applied")), 0],
    [
      "one that failed after one that worked counts alone",
      compacted(step("summarize", "applied"), step("summarize", "failed")),
      1,
    ],
    ["a rung that had nothing to do is no failure", failed(step("summarize", "not-applicable")), 2],
    ["a rung without a model is no failure of one", failed(step("drop-oldest", "failed")), 2],
    ["an attempt that came to nothing counts its summaries", failed(step("summarize", "failed")), 3],
    ["so does one that cannot fit", irreducible(step("summarize", "failed")), 3],
    ["a cancelled one counts nothing", { kind: "cancelled", reason: "threshold", why: "not now" }, 2],
    ["nothing was tried", { kind: "unchanged", off: null }, 2],
  ])("%s", (_, outcome, failures) => {
    expect(afterAttempt({ ...CLOSED_BREAKER, failures: 2 }, outcome, 700).failures).toBe(failures);
  });

  test.each<[string, FitOutcome, number | null]>([
    ["a success waits for new material after the cut, not after the attempt", compacted(step("summarize", "applied")), null],
    ["a failure waits for new material", failed(), 700],
    ["what cannot fit waits for new material", irreducible(), 700],
    ["a cancelled one waits for new material", { kind: "cancelled", reason: "threshold", why: "not now" }, 700],
    ["where nothing was tried, what was waited for stays", { kind: "unchanged", off: null }, 600],
  ])("%s", (_, outcome, tokens) => {
    expect(afterAttempt({ failures: 0, estimatedAtLastAttemptTokens: 600 }, outcome, 700).estimatedAtLastAttemptTokens).toBe(
      tokens,
    );
  });
});
