import { describe, expect, test } from "vitest";
import { lettered, textOfBytes } from "../../testing/lettered.ts";
import { fires, triggerTokens } from "../budget.ts";
import { cutAtBoundary, cutKeeping } from "../cut-point.ts";
import type { Message } from "../message/message.ts";
import { transcriptText } from "../message/transcript-text.ts";
import { PI_LENGTH_ESTIMATE, PI_POLICY, piPolicy, piSummaryBudgets } from "../policy/presets/pi.ts";
import { calling, human, reply, result } from "../testing/builders.ts";
import { charsPerToken } from "../tokens/chars-per-token.ts";
import { createWorkCounter } from "../tokens/measure.ts";

const measure = charsPerToken(PI_LENGTH_ESTIMATE, createWorkCounter()).messageTokens;
const cutFor = (messages: readonly Message[], keepTokens: number) =>
  cutAtBoundary(messages, cutKeeping(messages, { tokens: keepTokens }, measure), "next-safe");

describe("trigger", () => {
  const budget = { windowTokens: 100_000, inputBudgetTokens: 100_000 };
  test.each([
    ["P-3: above", 95_000, true],
    ["P-3: below", 89_000, false],
    ["P-4: the boundary", 90_000, false],
    ["P-4: one more", 90_001, true],
  ])("%s", (_, tokens, expected) => {
    expect(fires(piPolicy({ reserve_tokens: 10_000 }).trigger, tokens, budget)).toBe(expected);
  });

  test.each([
    ["the document's figure", piPolicy(), 200_000, 183_616],
    ["a window that is configured", piPolicy({ context_window: 200_000 }), 1_000_000, 183_616],
    ["P-6: a window that the reserve would fill compacts at its half, not always", piPolicy(), 8192, 4096],
  ])("%s", (_, { trigger }, windowTokens, expected) => {
    expect(triggerTokens(trigger, { windowTokens, inputBudgetTokens: windowTokens })).toBe(expected);
  });

  test("P-6: a configured window that the reserve fills is an error that names both", () => {
    expect(() => piPolicy({ context_window: 8192 })).toThrow(/8192.*16384/);
  });

  test("P-6: without a known window it is off; a configured one is taken", () => {
    const unknown = [PI_POLICY, piPolicy({ context_window: 100_000 })].map(({ unknownWindow }) => unknownWindow);
    expect(unknown).toEqual(["off", { tokens: 100_000 }]);
  });
});

describe("cuts", () => {
  const figure = [
    human("0", textOfBytes(40)),
    calling("1", ["a"], textOfBytes(3994)),
    result("2", "a", textOfBytes(40_000)),
    calling("3", ["b", "c"], textOfBytes(3988)),
    result("4", "b", textOfBytes(20_000)),
    result("5", "c", textOfBytes(20_000)),
    calling("6", ["d"], textOfBytes(3994)),
    result("7", "d", textOfBytes(40_000)),
  ];
  test.each<[string, readonly Message[], number, number]>([
    ["P-7: four tiny messages", lettered("UAUA", 5), 50_000, 0],
    ["P-7: a single assistant message", lettered("A", 5), 50_000, 0],
    ["P-8: inside a turn", lettered("UAUA", 1000), 1000, 3],
    ["P-10: a trailing giant result keeps its call, and what is older goes", lettered("UCR", [10, 10, 100_000]), 20_000, 1],
    ["P-12: keep 11,000", figure, 11_000, 6],
    ["P-12: keep 10,000: not everything", figure, 10_000, 6],
    ["P-13: at a human message, which splits nothing", lettered("UAUA", [10, 10, 1000, 1000]), 2000, 2],
    ["P-15: a giant human message alone", lettered("U", 50_000), 20_000, 0],
    ["P-15: a giant newest human message", lettered("UAU", [10, 10, 50_000]), 20_000, 2],
  ])("%s", (_, messages, keepTokens, cut) => {
    expect(cutFor(messages, keepTokens)).toBe(cut);
  });
});

describe("texts and sizes", () => {
  test.each([
    ["P-21: a long result is cut", result("r", "c", "x".repeat(5000)), "3000 more characters", 2000],
    ["P-21: a short one is not", result("r", "c", "x".repeat(1500)), "", 1500],
    ["P-21: a human message is not", human("u", "x".repeat(5000)), "", 5000],
    ["P-21: nor an assistant's", reply("a", "x".repeat(5000)), "", 5000],
  ])("%s", (_, message, says, kept) => {
    const text = transcriptText([message], PI_POLICY.summary);
    expect(text).toContain(says);
    expect(text.split("x").length - 1).toBe(kept);
  });

  test("calls are written in one piece, and what has no text is left out", () => {
    const text = transcriptText(
      [
        { ...human("c", "$ ls"), origin: "command" },
        calling("1", ["a", "b"]),
        { ...result("2", "a", ""), isError: false },
        { ...result("3", "b", "no such file"), isError: true },
      ],
      PI_POLICY.summary,
    );
    expect(text.split("\n\n").map((piece) => piece.slice(0, piece.indexOf("]:") + 2))).toEqual([
      "[User]:",
      "[Assistant]:",
      "[Assistant tool calls]:",
      "[Tool result]:",
    ]);
    expect(text).toMatch(/\w+\(.*\); \w+\(.*\)/);
  });

  test("P-27: budgets of the summary and of a split turn's older part", () => {
    expect(piSummaryBudgets(16_384)).toEqual({ maxTokens: 13_107, turnPrefixMaxTokens: 8192 });
    expect(PI_POLICY.summary).toMatchObject({ maxTokens: 13_107, turnPrefixMaxTokens: 8192 });
  });
});
