import { describe, expect, test } from "vitest";
import type { AttemptEntry, SessionEntry, StepOutcome } from "../entry.ts";
import { compaction, human, NO_RECORD, reply, revertOf, sessionStart, usageEntry } from "../testing/builders.ts";
import { attemptEntry, CLOSED_BREAKER, foldBreaker } from "./session-state.ts";

const step = (strategy: string, outcome: StepOutcome["outcome"]): StepOutcome => ({ strategy, outcome, detail: null });
const compacted = (...steps: readonly StepOutcome[]): SessionEntry => ({
  ...compaction("c", []),
  record: { ...NO_RECORD, steps },
});
const attempt = (outcome: AttemptEntry["outcome"], ...steps: readonly StepOutcome[]): AttemptEntry => {
  return { type: "attempt", id: "a", reason: "threshold", outcome, steps, estimatedTokens: 700, atMs: null };
};

describe("foldBreaker", () => {
  test.each<[string, SessionEntry, number]>([
    [
      "a summary that failed counts, although another step compacted",
      compacted(step("summarize", "failed"), step("digest", "applied")),
      3,
    ],
    ["a summary that was no progress counts", compacted(step("summarize", "no-progress"), step("drop-oldest", "applied")), 3],
    ["a summary that worked clears the count", compacted(step("summarize", "applied")), 0],
    ["one that failed after one that worked counts", compacted(step("summarize", "applied"), step("summarize", "failed")), 1],
    ["a step that had nothing to do is no failure", attempt("failed", step("summarize", "not-applicable")), 2],
    ["a step without a model is no failure of one", attempt("failed", step("drop-oldest", "failed")), 2],
    ["an attempt that came to nothing counts its summaries", attempt("failed", step("summarize", "failed")), 3],
    ["so does one that cannot fit", attempt("irreducible", step("summarize", "failed")), 3],
    ["a cancelled one counts nothing", attempt("cancelled"), 2],
    ["a human message begins the count again", { type: "message", message: human("h", "go on") }, 0],
    ["a reply does not", { type: "message", message: reply("r", "done") }, 2],
  ])("%s", (_, entry, failures) => {
    expect(foldBreaker({ ...CLOSED_BREAKER, failures: 2 }, entry).failures).toBe(failures);
  });

  test.each<[string, SessionEntry, number | null]>([
    ["a success waits for new material after the cut, not after the attempt", compacted(step("summarize", "applied")), null],
    ["a failure waits for new material", attempt("failed"), 700],
    ["what cannot fit waits for new material", attempt("irreducible"), 700],
    ["a cancelled one waits for new material", attempt("cancelled"), 700],
    ["if nothing was tried, what was waited for stays", revertOf("r", "c"), 600],
  ])("%s", (_, entry, tokens) => {
    const before = { failures: 0, estimatedAtLastAttemptTokens: 600, isGoalMissed: false };
    expect(foldBreaker(before, entry).estimatedAtLastAttemptTokens).toBe(tokens);
  });

  test.each<[string, SessionEntry]>([
    ["a session's start", sessionStart()],
    ["a new setup", { type: "setup-change", id: "x", system: "new", tools: [], atMs: null }],
    ["another model", { type: "model-change", id: "x", modelId: "other", limits: null, atMs: null }],
    ["a report", usageEntry("q", null, 10)],
    ["an undo", revertOf("c")],
  ])("%s is no attempt", (_, entry) => {
    const before = { failures: 2, estimatedAtLastAttemptTokens: 600, isGoalMissed: false };
    expect(foldBreaker(before, entry)).toEqual(before);
  });
});

type Outcome = Parameters<typeof attemptEntry>[0];

describe("attemptEntry", () => {
  const model = { contextWindowTokens: 1_000, maxOutputTokens: null };
  const input = { gate: "before-step", pending: [], model, nowMs: 9 } as const;
  const entryOf = (outcome: Outcome, lastEntryId: string | null = "last") =>
    attemptEntry(outcome, { input, estimatedTokens: 700, lastEntryId });
  const failed: Outcome = { kind: "failed", reason: "threshold", steps: [step("summarize", "failed")] };
  const logged = {
    type: "attempt",
    id: expect.stringMatching(/./),
    reason: "threshold",
    estimatedTokens: 700,
    atMs: 9,
  } as const;

  test.each<[string, Outcome, AttemptEntry | null]>([
    ["nothing that was tried: nothing to log", { kind: "unchanged", off: null }, null],
    ["a cut that would not pay: nothing to log", { kind: "cancelled", by: "price", reason: "threshold", why: "no" }, null],
    ["what failed, with its steps", failed, { ...logged, outcome: "failed", steps: failed.steps }],
    [
      "what cannot fit, with its steps",
      { kind: "irreducible", reason: "threshold", budgetTokens: 1, parts: [], steps: failed.steps },
      { ...logged, outcome: "irreducible", steps: failed.steps },
    ],
    [
      "what a hook cancelled, which has no steps",
      { kind: "cancelled", by: "hook", reason: "threshold", why: "no" },
      { ...logged, outcome: "cancelled", steps: [] },
    ],
  ])("%s", (_, outcome, entry) => {
    expect(entryOf(outcome)).toEqual(entry);
  });

  test("attempts at different places of a log, for other reasons or with other outcomes have ids of their own", () => {
    const entries = [
      entryOf(failed),
      entryOf(failed, "later"),
      entryOf(failed, null),
      entryOf({ ...failed, reason: "manual" }),
      entryOf({ kind: "cancelled", by: "hook", reason: "threshold", why: "no" }),
    ];
    expect(new Set(entries.map((entry) => entry?.id)).size).toBe(entries.length);
    expect(entryOf(failed)?.id).toBe(entries[0]?.id);
  });
});
