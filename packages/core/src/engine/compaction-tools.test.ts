import { expect, test } from "vitest";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { summaryWithin } from "./compaction-tools.ts";

// A fifth of the budget is what a summary may take.
test.each([
  ["what the policy says, if the window has room for it", 10_000, { maxTokens: 1999, turnPrefixMaxTokens: 500 }],
  ["a fifth of the budget at most", 9_999, { maxTokens: 1999, turnPrefixMaxTokens: 500 }],
  ["so is the beginning of a turn", 2_000, { maxTokens: 400, turnPrefixMaxTokens: 400 }],
  ["one token at least", 4, { maxTokens: 1, turnPrefixMaxTokens: 1 }],
])("a summary takes %s", (_, inputBudgetTokens, limits) => {
  const summary = { ...SVEN_POLICY.summary, maxTokens: 1999, turnPrefixMaxTokens: 500 };
  const budget = { windowTokens: inputBudgetTokens, inputBudgetTokens };
  expect(summaryWithin(summary, budget)).toEqual({ ...summary, ...limits });
});
