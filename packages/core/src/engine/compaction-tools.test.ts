import { expect, test } from "vitest";
import { smallSession, stepsOf } from "../../testing/small-session.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { SUMMARY_HEADER } from "../prompts/notices.ts";
import { assistant, callPart, human, reply, result } from "../testing/builders.ts";
import { summaryWithin } from "./compaction-tools.ts";

// A summary may take a fifth of the budget.
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

/** Measures the text that replaces a long session in a window of so many tokens, if the model fails: characters of the digest, and of the facts. */
async function writtenIn(windowTokens: number): Promise<{ readonly digest: number; readonly facts: number }> {
  const steps = Array.from({ length: 60 }, (_, at) => {
    const path = `src/${"long/".repeat(20)}${at}.ts`;
    const argumentsJson = JSON.stringify({ path, plan: `- ${"Look at it. ".repeat(15)}` });
    const call = callPart(`c${at}`, "edit", { argumentsJson, paths: [{ path, access: "modify" }] });
    return [
      assistant(`a${at}`, [{ type: "text", text: `I found ${at} and will go on. `.repeat(40) }, call]),
      result(`r${at}`, `c${at}`, `line of ${at}\n`.repeat(60)),
    ];
  }).flat();
  const messages = [human("first", "Look at it. ".repeat(600)), ...steps, human("last", "go on"), reply("end", "ok")];
  const { fit, written } = smallSession(messages, { answer: () => Promise.reject(new Error("overloaded")) });
  const outcome = await fit({ model: { contextWindowTokens: windowTokens, maxOutputTokens: null } });
  expect(stepsOf(outcome)).toEqual(["summarize failed", "digest applied"]);
  const factsAt = written().search(/<plan-items>|<modified-files>/);
  return { digest: factsAt - SUMMARY_HEADER.text.length - "\n\n\n\n".length, facts: written().length - factsAt };
}

test("a digest takes a quarter of a small window at most, the facts a tenth", async () => {
  const [small, middle, large] = [await writtenIn(3000), await writtenIn(6000), await writtenIn(9000)];
  const isWithin = (chars: number, above: number, atMost: number) => chars > above && chars <= atMost;
  expect([isWithin(small.digest, 1800, 2250), isWithin(middle.digest, 3600, 4500)]).toEqual([true, true]);
  expect(isWithin(small.facts, 50, 1350) && middle.facts > small.facts && large.facts > middle.facts).toBe(true);
  expect(large.digest).toBeGreaterThan(middle.digest);
});
