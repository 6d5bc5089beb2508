import { describe, expect, test } from "vitest";
import { content, HAND_PRIOR, line, replyReport } from "../../../testing/ledger-values.ts";
import type { MessageContent } from "../char-class.ts";
import type { Regression } from "../measure.ts";
import { learn, NO_LOSSES, RETURN_RULES, type ReplyReport, type ReturnRule, type RuleLosses, TEXT_RULES } from "./model-fit.ts";
import { ruleFor } from "./next-prompt.ts";

describe("a line by hand", () => {
  // Before it learns, a line drifts: 0.0096 + 0.0001 × 2² = 0.01 for the slope, 3.95 + 0.05 = 4 for the intercept.
  const known: Regression = { slopeRatio: 2, messageTokens: 10, covariance: [0.0096, 0.1, 3.95] };

  // 100 characters in 2 messages: 2 × 100 + 10 × 2 = 220 expected; doubt 0.01 × 100² + 2 × 0.1 × 100 × 2 + 4 × 2² = 156; noise 8 + 0.05 × 220 = 19.
  const variance = 156 + 19 ** 2;
  const towardSlope = 0.01 * 100 + 0.1 * 2;
  const towardMessages = 0.1 * 100 + 4 * 2;
  const limit = 3 * Math.sqrt(variance);

  test.each<[string, number, number]>([
    ["10 tokens more than expected", 230, 10],
    ["10 tokens fewer", 210, -10],
    ["a surprise counts as at most three deviations", 220 + 100, limit],
    ["a fall as well", 220 - 100, -limit],
    ["up to four times that it teaches", 220 + 3.99 * limit, limit],
  ])("learns by its share of %s", (_, tokens, surprise) => {
    const learned = learn(known, { weighed: 100, messages: 2, tokens });
    expect(learned.slopeRatio).toBeCloseTo(2 + (towardSlope / variance) * surprise, 10);
    expect(learned.messageTokens).toBeCloseTo(10 + (towardMessages / variance) * surprise, 10);
    expect(learned.covariance[0]).toBeCloseTo(0.01 - towardSlope ** 2 / variance, 12);
    expect(learned.covariance[1]).toBeCloseTo(0.1 - (towardSlope * towardMessages) / variance, 12);
    expect(learned.covariance[2]).toBeCloseTo(4 - towardMessages ** 2 / variance, 12);
  });

  test.each([
    ["beyond four times the limit", { weighed: 100, messages: 2, tokens: 220 + 4.01 * limit }],
    ["as far below", { weighed: 100, messages: 2, tokens: 220 - 4.01 * limit }],
    ["text without a message", { weighed: 100, messages: 0, tokens: 200 }],
    ["a message without text", { weighed: 0, messages: 2, tokens: 20 }],
  ])("%s teaches nothing", (_, measurement) => {
    expect(learn(known, measurement)).toBe(known);
  });

  test.each<[string, Partial<Regression>, number, Partial<Regression>]>([
    ["a slope above 3", { slopeRatio: 2.99, covariance: [1, 0, 0] }, 400, { slopeRatio: 3 }],
    ["a slope below 0.4", { slopeRatio: 0.41, covariance: [1, 0, 0] }, 1, { slopeRatio: 0.4 }],
    ["more than 150 tokens a message", { messageTokens: 149, covariance: [0, 0, 4000] }, 700, { messageTokens: 150 }],
    ["less than none", { messageTokens: 1, covariance: [0, 0, 4000] }, 20, { messageTokens: 0 }],
  ])("never learns %s", (_, from, tokens, bounded) => {
    expect(learn({ ...known, ...from }, { weighed: 100, messages: 2, tokens })).toMatchObject(bounded);
  });
});

const price = { prior: HAND_PRIOR, fit: line(2) };
const none: Partial<ReplyReport> = { content: content(20), reasoningTokens: null };
const as = (reasoning: MessageContent["reasoning"], reasoningTokens: number | null): Partial<ReplyReport> => ({
  content: content(20, { reasoning }),
  reasoningTokens,
});

test.each<[string, Partial<ReplyReport>, Partial<RuleLosses>, ReturnRule]>([
  ["no count, no output, however wrong its text was", none, { text: 3, "text-and-reasoning": 4 }, "text"],
  ["opaque reasoning is with it", as("opaque", 30), {}, "text-and-reasoning"],
  ["opaque: 0.31 above the text gives way", as("opaque", 30), { "text-and-reasoning": 0.31 }, "text"],
  ["readable reasoning speaks for neither", as("readable", null), {}, "text"],
  ["text that was wrong gives way to text with reasoning", none, { text: 0.1 }, "text-and-reasoning"],
])("of the text's rules: %s", (_, more, losses, rule) => {
  expect(ruleFor({ ...NO_LOSSES, ...losses }, replyReport(more), TEXT_RULES, price)).toBe(rule);
});

test.each<[string, number, ReturnRule]>([
  ["far beyond the text returns as what is visible", 6_000, "visible"],
  ["near the text returns whole", 60, "output"],
])("an output %s", (_, outputTokens, rule) => {
  expect(ruleFor(NO_LOSSES, replyReport({ ...none, outputTokens }), RETURN_RULES, price)).toBe(rule);
});
