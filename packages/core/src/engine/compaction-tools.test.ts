import { expect, test } from "vitest";
import { recordOf, SMALL_POLICY, smallSession, stepsOf, turns } from "../../testing/small-session.ts";
import { type Message, textOf } from "../message/message.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { ModelRequest } from "../ports.ts";
import { SUMMARY_HEADER } from "../prompts/notices.ts";
import { createModelSummarizer } from "../summarizer/model-summarizer.ts";
import { assistant, callPart, human, reply, result } from "../testing/builders.ts";
import { usageOf } from "../usage.ts";
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

const SUMMARY = SMALL_POLICY.summary.sections.map((title) => `## ${title}\nIt goes on.`).join("\n\n");

/** The sizes of the requests that the model of a session is asked for a summary by, four bytes a token, with the answers' room. */
async function askedIn(contextWindowTokens: number, messages: readonly Message[], { focus = "", promptId = "structured" }) {
  const sizes: number[] = [];
  const complete = ({ context, maxOutputTokens }: ModelRequest) => {
    const text = `${context.system}${context.messages.map(textOf).join("")}`;
    sizes.push(Buffer.byteLength(text) / 4 + maxOutputTokens);
    return Promise.resolve({
      draft: reply("s", SUMMARY),
      requestId: "s",
      usage: usageOf({ totalInputTokens: 0, outputTokens: 0 }),
      stopReason: "end" as const,
    });
  };
  const summarizer = createModelSummarizer({ complete, stream: () => expect.unreachable() }, { modelId: "m" });
  const strategies = SMALL_POLICY.strategies.map((each) => ({ ...each, promptId }));
  const { fit } = smallSession(messages, { policy: { ...SMALL_POLICY, strategies }, summarizer });
  const outcome = await fit({ focus, model: { contextWindowTokens, maxOutputTokens: null } });
  return { sizes, steps: stepsOf(outcome), record: recordOf(outcome) };
}

const SHORT_TURNS = Array.from({ length: 1200 }, (_, at) => [
  human(`u${at}`, `${at}, then go on`),
  reply(`a${at}`, "Done."),
]).flat();
const GIANT = [human("giant", "word ".repeat(20_000)), ...turns(5)];

test.each([1000, 2000, 2600, 3500])("no request for a summary is larger than a window of %i", async (window) => {
  for (const messages of [turns(8), SHORT_TURNS, GIANT])
    for (const given of [{}, { promptId: "checkpoint" }, { focus: "look ".repeat(window / 8) }]) {
      const { sizes, steps } = await askedIn(window, messages, given);
      expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(window);
      expect(steps[0]).toBe(sizes.length === 0 ? "summarize failed" : "summarize applied");
    }
});

test("a window without room for a request asks no model: a digest follows, with the reason", async () => {
  const { sizes, steps, record } = await askedIn(800, turns(8), {});
  expect([sizes, steps.slice(0, 2)]).toEqual([[], ["summarize failed", "digest applied"]]);
  expect(record?.steps[0]?.detail).toBe("a window of 800 tokens has no room for a summary's request");
});
