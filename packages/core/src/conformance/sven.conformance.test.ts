import { describe, expect, test } from "vitest";
import { engineSession } from "../../testing/engine-session.ts";
import { lettered } from "../../testing/lettered.ts";
import { budgetOf, fires, triggerTokens } from "../budget.ts";
import type { Message } from "../message/message.ts";
import { SVEN_LENGTH_ESTIMATE, SVEN_POLICY, svenPolicy, svenThresholdRatio } from "../policy/presets/sven.ts";
import { summaryPrompt } from "../summarizer/model-summarizer.ts";
import { absentImage, human, humanImage, NO_RECORD, result, toolCall, usageEntry } from "../testing/builders.ts";
import { createEstimator } from "../tokens/built-in-estimators.ts";
import { nextFactor } from "../tokens/calibrated-ema.ts";
import { charsPerToken } from "../tokens/chars-per-token.ts";
import { EMPTY_LEDGER } from "../tokens/estimator.ts";
import { createWorkCounter } from "../tokens/measure.ts";

const EMA = {
  kind: "calibrated-ema",
  of: SVEN_LENGTH_ESTIMATE,
  alphaRatio: 0.2,
  minimumFactor: 0.5,
  maximumFactor: 3,
} as const;
const measure = () => charsPerToken(SVEN_LENGTH_ESTIMATE, createWorkCounter());

describe("budget", () => {
  test.each([
    ["B-1", 200_000, 0, 200_000],
    ["B-2", 200_000, 64_000, 136_000],
    ["B-5", 400_000, 128_000, 272_000],
  ])("%s", (_, contextWindowTokens, maxOutputTokens, expected) => {
    expect(budgetOf({ contextWindowTokens, maxOutputTokens })?.inputBudgetTokens).toBe(expected);
  });

  test.each([
    ["B-3: no window at all", 0, 0],
    ["B-6: not 0, which would switch the gate off", 8192, 8192],
    ["B-7: not saturated to 0", 4096, 8192],
    ["E-12: a budget of 0 is never silent", 10_000, 10_000],
    ["N-7: the window that an error named, with the output reserve as it was", 4096, 8192],
  ])("%s", (_, contextWindowTokens, maxOutputTokens) => {
    const says = new RegExp(`${contextWindowTokens}.*${maxOutputTokens}`);
    expect(() => budgetOf({ contextWindowTokens, maxOutputTokens })).toThrow(says);
  });
});

describe("approximate tokens", () => {
  test.each<[string, Message, number]>([
    ["T-1", human("a", "12345678"), 2],
    ["T-2: two letters", human("a", "hi"), 1],
    ["T-2: nothing", human("a", ""), 1],
    ["T-3", toolCall("a", "c", { name: "aaaa", argumentsJson: "bbbbbbbb" }), 3],
    ["T-4", result("a", "c", "1234567890123456"), 4],
    ["T-5: an image", humanImage("a"), 765],
    ["T-6", human("a", "hello world"), 2],
    ["T-10", toolCall("a", "c", { name: "shell", argumentsJson: '{"command":"ls"}' }), 5],
  ])("%s", (_, message, expected) => {
    expect(measure().messageTokens(message)).toBe(expected);
  });

  test("T-5: an image of low detail by a measure of 85", () => {
    const low = charsPerToken({ ...SVEN_LENGTH_ESTIMATE, imageTokens: 85 }, createWorkCounter());
    expect(low.messageTokens({ ...human("a", ""), parts: [absentImage()] })).toBe(85);
  });

  test("T-7, T-8: a session counts what is in its view", async () => {
    const { manager, append } = engineSession({ policy: SVEN_POLICY, windowTokens: 1000, messages: [] });
    append(human("a", "12345678"), human("b", "1234"));
    expect(manager.predict().expectedTokens).toBe(3);
    const replaced = {
      kind: "replace-history",
      through: null,
      messages: [human("c", "only")],
      covered: { messages: 2, parts: 2, chars: 12 },
    } as const;
    manager.append({ type: "compaction", id: "x", throughEntryId: "b", edits: [replaced], record: NO_RECORD, atMs: null });
    expect(manager.predict().expectedTokens).toBe(1);
  });

  test("T-12: tools are rounded one by one", () => {
    const tools = Array.from({ length: 100 }, () => ({ name: "a", description: "b", parametersJson: "c" }));
    expect(measure().toolsTokens(tools)).toBe(0);
  });
});

describe("effective count and trigger", () => {
  test.each([
    ["E-1", 2, 1, 0, 2],
    ["E-2", 2, 1, 500, 502],
    ["E-3", 2, 1.5, 0, 3],
    ["E-4", 3, 0.5, 0, 1],
  ])("%s", (_, estimatedTokens, factor, hiddenTokens, expected) => {
    const overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens };
    const ledger = { ...EMPTY_LEDGER, estimatedTokens, factor };
    expect(createEstimator(EMA, createWorkCounter()).predict(ledger, overhead).expectedTokens).toBe(expected);
  });

  const budget = { windowTokens: 200_000, inputBudgetTokens: 136_000 };
  test.each([
    ["E-5", 68_000, false],
    ["E-6", 101_999, false],
    ["E-7", 102_000, true],
  ])("%s", (_, tokens, expected) => {
    expect(fires(SVEN_POLICY.trigger, tokens, budget)).toBe(expected);
  });

  test.each([
    ["E-13: at 0.5", 10, 5, 0.5, true],
    ["E-13: at 0.6", 10, 5, 0.6, false],
    ["E-14", 4, 4, 0.8, true],
  ])("%s", (_, windowTokens, tokens, ratio, expected) => {
    const trigger = { atLeast: { ratio, of: "input-budget" } } as const;
    expect(fires(trigger, tokens, { windowTokens, inputBudgetTokens: windowTokens })).toBe(expected);
  });

  test.each([
    ["E-15: 72,000", 72_000, 54_000],
    ["E-15: 272,000", 272_000, 204_000],
    ["E-15: 100,000", 100_000, 75_000],
    ["E-15: 128,000", 128_000, 96_000],
  ])("%s", (_, inputBudgetTokens, expected) => {
    const at = { windowTokens: inputBudgetTokens, inputBudgetTokens };
    expect(triggerTokens(SVEN_POLICY.trigger, at)).toBe(expected);
    expect([fires(SVEN_POLICY.trigger, expected - 1, at), fires(SVEN_POLICY.trigger, expected, at)]).toEqual([false, true]);
  });
});

describe("threshold in single precision", () => {
  test.each([
    ["H-1", 0.85, 0.1, 0.75],
    ["H-2", 0.65, 0.12, 0.53],
    ["H-3", 0.8, 0.1, 0.7],
    ["H-5", 0.15, 0.1, 0.1],
    ["H-6", 0.05, 0.1, 0.1],
    ["H-7", 0.5, 0.1, 0.4],
    ["H-10", 1, 0, 1],
    ["H-11", 0.85, 0, 0.85],
  ])("%s", (_, threshold, reserve, expected) => {
    expect(svenThresholdRatio(threshold, reserve)).toBe(Math.fround(expected));
    const policy = svenPolicy({ compaction_threshold: threshold, compaction_overhead_reserve: reserve });
    expect(policy.trigger).toEqual({ atLeast: { ratio: Math.fround(expected), of: "input-budget" } });
  });
});

describe("calibration", () => {
  const after = (times: number, actual: number, estimated: number) =>
    Array.from({ length: times }).reduce<number>((factor) => nextFactor(factor, actual, estimated, EMA), 1);

  test.each([
    ["C-1: once", 1, 130, 100, 1.06],
    ["C-1: twice", 2, 130, 100, 1.108],
    ["C-1: three times", 3, 130, 100, 1.1464],
    ["C-1: four times", 4, 130, 100, 1.17712],
    ["C-1: five times", 5, 130, 100, 1.201696],
    ["C-1: six times", 6, 130, 100, 1.221357],
    ["C-2: twenty times", 20, 130, 100, 1.2965413],
    ["C-2: closed form", 20, 130, 100, 1.3 - 0.3 * 0.8 ** 20],
    ["C-3: nothing was estimated", 1, 100, 0, 1],
    ["C-4: nothing was reported", 1, 0, 100, 1],
    ["C-6: never below the minimum", 50, 10, 1000, 0.5],
    ["C-7: clamped at once", 1, 30_000, 100, 3],
    ["C-8: exactly the maximum", 1, 1100, 100, 3],
    ["C-8: just above it", 1, 1101, 100, 3],
  ])("%s", (_, times, actual, estimated, expected) => {
    expect(after(times, actual, estimated)).toBeCloseTo(expected, 6);
  });

  test("C-12: a report on a short turn moves the factor", () => {
    const { manager, log, append } = engineSession({ policy: SVEN_POLICY, windowTokens: 10_000, messages: [] });
    append(human("u", "hello there"));
    log(usageEntry("r", "u", 200));
    expect(manager.state().ledger.factor).not.toBe(1);
  });

  test("C-13: the request for a summary teaches nothing", async () => {
    const session = engineSession({ policy: SVEN_POLICY, windowTokens: 5000, messages: lettered("UAUAUAUAUAUAUA", 300) });
    const outcome = await session.fit({ gate: "before-submit" });
    expect(outcome).toMatchObject({ kind: "compacted", entry: { edits: [{ usage: { input: { totalTokens: 1000 } } }] } });
    expect(session.manager.state().ledger.factor).toBe(1);
  });

  test("C-14: overhead inside the ratio leaves a fixed point that is 2,000 short", () => {
    const factor = Array.from({ length: 200 }).reduce<number>((f) => nextFactor(f, 72_000, 50_000 + 10_000, EMA), 1);
    expect([factor, 50_000 * factor + 10_000].map(Math.round)).toEqual([1, 70_000]);
    expect(factor).toBeCloseTo(1.2, 6);
  });
});

describe("prompts", () => {
  const REQUEST = {
    parts: [],
    sections: SVEN_POLICY.summary.sections,
    maxTokens: 4096,
    turnPrefixMaxTokens: 4096,
    focus: null,
    resultCapChars: null,
    labels: SVEN_POLICY.summary.labels,
  };
  test("N-2: a request is made of no messages too", () => {
    expect(summaryPrompt({ promptId: "structured", messages: [] }, REQUEST).text).toContain("<conversation>");
  });

  test("N-3, N-4: all six headings, and the history", () => {
    const { text } = summaryPrompt({ promptId: "structured", messages: [human("u", "fix the parser")] }, REQUEST);
    const at = SVEN_POLICY.summary.sections.map((title) => text.indexOf(`## ${title}`));
    expect(text).toContain("User: fix the parser");
    expect([...at].sort((a, b) => a - b)).toEqual(at);
    expect(at.every((index) => index > 0)).toBe(true);
    const narrative = summaryPrompt(
      { promptId: "narrative", messages: [human("u", "fix the parser")] },
      { ...REQUEST, sections: [] },
    ).text;
    expect(narrative.length).toBeLessThan(text.length);
  });

  test("N-5: calls and results", () => {
    const messages = [toolCall("a", "c", { name: "shell", argumentsJson: '{"command":"ls"}' }), result("r", "c", "README.md")];
    const { text } = summaryPrompt({ promptId: "structured", messages }, REQUEST);
    expect(text).toContain('Assistant: [tool_call: shell({"command":"ls"})]');
    expect(text).toContain("Tool: [tool_result: README.md]");
  });

  test.each([
    ["N-9: the default", {}, 6],
    ["N-9: what is set", { compaction_keep_recent: 10 }, 10],
  ])("%s", (_, settings, messages) => {
    expect(svenPolicy(settings).keep).toEqual([{ kind: "recent", messages }]);
  });
});
