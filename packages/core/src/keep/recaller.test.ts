import { expect, test } from "vitest";
import { createRecallIndex } from "../recall/recall-index.ts";
import { createWorkCounter } from "../tokens/work.ts";
import type { KeepRule } from "./keep-rule.ts";
import { recaller } from "./recaller.ts";

const recent: KeepRule = { kind: "recent", keeps: "newest", amount: { messages: 2 } };
const recalling = (tokens: number): KeepRule => ({ kind: "recall", keeps: "units", atMost: { tokens }, worth: () => 1 });

test.each<[string, readonly KeepRule[], boolean, number, number | null]>([
  ["nothing without a rule that recalls", [recent], true, 1000, null],
  ["nothing of a log that nobody has followed", [recalling(100)], false, 1000, null],
  ["what the rule says", [recent, recalling(100)], true, 1000, 100],
  ["of two rules what the first says", [recalling(100), recalling(200)], true, 1000, 100],
  ["half of the room at most, rounded down", [recalling(600)], true, 1001, 500],
  ["nothing in a room that is overdrawn", [recalling(600)], true, -10, 0],
])("recalls %s", (_, rules, isFollowed, roomTokens, atMostTokens) => {
  const work = createWorkCounter();
  const budget = { windowTokens: 10_000, inputBudgetTokens: 10_000 };
  const log = isFollowed ? createRecallIndex(work) : null;
  const made = recaller(rules, { budget, roomTokens, charsPerToken: 1, log, work }, new Map());
  expect(made?.atMostTokens ?? null).toBe(atMostTokens);
});
