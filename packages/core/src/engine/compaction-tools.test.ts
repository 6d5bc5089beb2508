import { expect, test } from "vitest";
import { smallSession, stepsOf } from "../../testing/small-session.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { calling, human, reply, result } from "../testing/builders.ts";
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

/** Six hundred requests: one that is said again is written once. */
const LOOKS = Array.from({ length: 600 }, (_, at) => `Look at ${at}. `).join("");

/** Measures the text that replaces a long session in a window of so many tokens, if the model fails: characters of the digest, and of the facts. */
async function writtenIn(windowTokens: number): Promise<{ readonly digest: number; readonly facts: number }> {
  // A digest counts what differs in a number alone.
  const nameOf = (at: number) => String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26));
  const steps = Array.from({ length: 60 }, (_, at) => [
    calling(`a${at}`, [`c${at}`], `I found ${nameOf(at)} in src/${nameOf(at)}.ts and will go on. `.repeat(6)),
    result(`r${at}`, `c${at}`, `line of ${nameOf(at)}\n`.repeat(60)),
  ]).flat();
  const messages = [human("first", LOOKS), ...steps, human("last", "go on"), reply("end", "ok")];
  const { fit, written } = smallSession(messages, { answer: () => Promise.reject(new Error("overloaded")) });
  const outcome = await fit({ model: { contextWindowTokens: windowTokens, maxOutputTokens: null } });
  expect(stepsOf(outcome)).toEqual(["summarize failed", "digest applied"]);
  const factsAt = written().indexOf("<asked-before>");
  return { digest: factsAt, facts: written().length - factsAt };
}

test("a digest takes a quarter of a small window at most, what is read off the log two hundredths", async () => {
  const [small, middle, large] = [await writtenIn(3000), await writtenIn(6000), await writtenIn(24_000)];
  expect([small.digest <= 2250 + 100, small.digest > 2000, middle.digest <= 4500 + 100, middle.digest > 4000]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect([small.facts <= 300, small.facts > 50, middle.facts > small.facts, large.facts > middle.facts]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(large.digest).toBeGreaterThan(middle.digest);
});
