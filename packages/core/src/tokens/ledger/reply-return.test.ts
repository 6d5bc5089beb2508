import { describe, expect, test } from "vitest";
import { content, HAND_PRIOR, knownModel, line, replyReport } from "../../../testing/ledger-values.ts";
import type { MessageContent } from "../char-class.ts";
import { nextLosses } from "./learn-from-report.ts";
import { NO_LOSSES, RETURN_RULES, type ReplyReport, type ReturnRule, type RuleLosses, TEXT_RULES } from "./model-fit.ts";
import { exceedsText, isUntrusted, type Returned, rescaled, returnedBy, ruleFor, rulesOf } from "./next-prompt.ts";

/** 2 tokens a character, 10 a message. */
const model = { prior: HAND_PRIOR, fit: line(2) };

describe("rescaled", () => {
  test("half the price halves what was reported; what was not reported stays unknown", () => {
    expect(rescaled(replyReport(), 0.5)).toEqual(replyReport({ outputTokens: 50, reasoningTokens: 15 }));
    const unknown = replyReport({ outputTokens: null, reasoningTokens: null });
    expect(rescaled(unknown, 0.5)).toEqual(unknown);
  });

  test("the same price leaves the reply as it is", () => {
    const reply = replyReport();
    expect(rescaled(reply, 1)).toBe(reply);
  });
});

describe("what comes back of a reply", () => {
  // Its text costs 2 × 20 = 40 tokens, its readable reasoning 2 × 7 = 14.
  test.each<[string, ReturnRule, Partial<ReplyReport>, Returned]>([
    ["all that was reported", "output", {}, { tokens: 100, reasoningTokens: 30 }],
    ["its text, if nothing was", "output", { outputTokens: null }, { tokens: 40, reasoningTokens: 0 }],
    ["that without its reasoning: 100 − 30", "visible", {}, { tokens: 70, reasoningTokens: 0 }],
    ["its text, if nothing was reported", "visible", { outputTokens: null }, { tokens: 40, reasoningTokens: 0 }],
    ["its text as a message: 40 + 10", "text", {}, { tokens: 50, reasoningTokens: 0 }],
    ["with its reasoning: 40 + 14 + 10", "text-and-reasoning", {}, { tokens: 64, reasoningTokens: 14 }],
    ["a message's frame, before it is appended", "text", { content: null }, { tokens: 10, reasoningTokens: 0 }],
    ["and no reasoning", "text-and-reasoning", { content: null }, { tokens: 10, reasoningTokens: 0 }],
    ["reasoning is never more than the output", "output", { reasoningTokens: 300 }, { tokens: 100, reasoningTokens: 100 }],
    [
      "unreported reasoning is what is above text and frame: 100 − 40 − 5",
      "output",
      { reasoningTokens: null },
      { tokens: 100, reasoningTokens: 55 },
    ],
    [
      "hidden reasoning is what is above text and frame: 6,000 − 40 − 5",
      "visible",
      { outputTokens: 6000, reasoningTokens: null, content: content(20) },
      { tokens: 45, reasoningTokens: 0 },
    ],
    ["and never below zero", "output", { outputTokens: 30, reasoningTokens: null }, { tokens: 30, reasoningTokens: 0 }],
    [
      "one without reasoning has none",
      "output",
      { reasoningTokens: null, content: content(20) },
      { tokens: 100, reasoningTokens: 0 },
    ],
    ["nor one that is not appended", "output", { reasoningTokens: null, content: null }, { tokens: 100, reasoningTokens: 0 }],
  ])("%s (%s)", (_, rule, more, returned) => {
    expect(returnedBy(rule, replyReport(more), model)).toEqual(returned);
  });
});

describe("an output count", () => {
  // The text costs 2 × 100 = 200 tokens; half of it is 100.
  test.each<[string, Partial<ReplyReport>, boolean]>([
    ["below half of its text cannot be", { outputTokens: 99 }, true],
    ["of half of it can", { outputTokens: 100 }, false],
    ["that is missing is not trusted", { outputTokens: null }, true],
    ["of a reply that is not there yet is", { outputTokens: 1, content: null }, false],
  ])("%s", (_, more, untrusted) => {
    expect(isUntrusted(replyReport({ content: content(100), ...more }), model)).toBe(untrusted);
  });

  // Twice its text and 300: 2 × 200 + 300 = 700.
  test.each<[string, Partial<ReplyReport>, boolean]>([
    ["above twice its text and 300 exceeds it", { outputTokens: 701 }, true],
    ["of just that does not", { outputTokens: 700 }, false],
    ["with reported reasoning has its reason", { outputTokens: 701, reasoningTokens: 1 }, false],
    ["with reasoning reported as none has not", { outputTokens: 701, reasoningTokens: 0 }, true],
    ["with reasoning in it has its reason", { outputTokens: 701, content: content(100, { reasoning: "readable" }) }, false],
    ["that is missing exceeds nothing", { outputTokens: null }, false],
    ["of a reply that is not there yet exceeds nothing", { outputTokens: 701, content: null }, false],
  ])("%s", (_, more, exceeds) => {
    expect(exceedsText(replyReport({ content: content(100), reasoningTokens: null, ...more }), model)).toBe(exceeds);
  });
});

describe("the rule in force", () => {
  const none: Partial<ReplyReport> = { content: content(20), reasoningTokens: null };
  const reported: Partial<ReplyReport> = { content: content(20), reasoningTokens: 30 };
  const as = (reasoning: MessageContent["reasoning"], reasoningTokens: number | null): Partial<ReplyReport> => ({
    content: content(20, { reasoning }),
    reasoningTokens,
  });

  test.each<[string, Partial<ReplyReport>, Partial<RuleLosses>, ReturnRule]>([
    ["no reasoning: the output", none, {}, "output"],
    ["reasoning reported as none: the output", { ...none, reasoningTokens: 0 }, {}, "output"],
    ["reasoning that the message does not hold: what is visible", reported, {}, "visible"],
    ["reasoning that the vendor wants back: the output", as("opaque", 30), {}, "output"],
    ["an output far beyond the text: what is visible", { ...none, outputTokens: 6000 }, {}, "visible"],
    ["readable reasoning, reported or not: what is visible", as("readable", 30), {}, "visible"],
    ["readable reasoning that is not reported", as("readable", null), {}, "visible"],
    ["no message yet: by what is reported", { content: null, reasoningTokens: null }, {}, "output"],
    // Losses are added to the message's: 0.31 against 0.3, 0.61 against 0.6.
    ["an output that was wrong enough gives way", none, { output: 0.31 }, "visible"],
    ["one that was not does not", none, { output: 0.29 }, "output"],
    ["opaque: 0.61 gives way", as("opaque", 30), { output: 0.61 }, "visible"],
    ["opaque: 0.59 does not", as("opaque", 30), { output: 0.59 }, "output"],
    ["readable: 0.3 + 0.31 gives way to 0.6", as("readable", null), { visible: 0.31 }, "output"],
    ["readable: 0.3 + 0.29 does not", as("readable", null), { visible: 0.29 }, "visible"],
  ])("%s", (_, more, losses, rule) => {
    expect(ruleFor({ ...NO_LOSSES, ...losses }, replyReport(more), RETURN_RULES, model)).toBe(rule);
  });

  test.each<[string, Partial<ReplyReport>, Partial<RuleLosses>, ReturnRule]>([
    ["no count, no output, however wrong its text was", none, { text: 3, "text-and-reasoning": 4 }, "text"],
    ["opaque reasoning is with it", as("opaque", 30), {}, "text-and-reasoning"],
    ["opaque: 0.31 above the text gives way", as("opaque", 30), { "text-and-reasoning": 0.31 }, "text"],
    ["readable reasoning speaks for neither", as("readable", null), {}, "text"],
    ["text that was wrong gives way to text with reasoning", none, { text: 0.1 }, "text-and-reasoning"],
  ])("of the text's rules: %s", (_, more, losses, rule) => {
    expect(ruleFor({ ...NO_LOSSES, ...losses }, replyReport(more), TEXT_RULES, model)).toBe(rule);
  });

  // The text costs 2 × 100 = 200 tokens, so that 99 cannot be and 100 can.
  test.each<[string, number, number, readonly ReturnRule[]]>([
    ["a count that cannot be leaves the text, if counts are wrong now and then", 99, 0.11, TEXT_RULES],
    ["one that can be is believed in the same session", 100, 0.9, RETURN_RULES],
    ["a single wrong one is believed: such a reply was thrown away", 99, 0.1, RETURN_RULES],
  ])("%s", (_, outputTokens, untrustedRatio, rules) => {
    const reply = replyReport({ outputTokens, content: content(100) });
    expect(rulesOf(reply, knownModel(2, { untrustedRatio }))).toBe(rules);
  });

  const errors: RuleLosses = { output: 5, visible: -10, text: 30, "text-and-reasoning": 8 };
  const before: RuleLosses = { output: 0.4, visible: 0.4, text: 0.4, "text-and-reasoning": 0.8 };
  const lossesOf = (rules: readonly ReturnRule[]) => nextLosses(before, { rules, errors, toleranceTokens: 20 });

  test("each rule loses by how much farther off it was than the best one", () => {
    // Against 20 tokens: 0.25, 0.5, 1 (never more), 0.4; the best is 0.25. 0.85 of the old loss, and half of the excess over the best.
    const losses = lossesOf(RETURN_RULES);
    expect(losses.output).toBeCloseTo(0.34, 12);
    expect(losses.visible).toBeCloseTo(0.34 + 0.125, 12);
    expect(losses.text).toBeCloseTo(0.34 + 0.375, 12);
    expect(losses["text-and-reasoning"]).toBeCloseTo(0.68 + 0.075, 12);
  });

  test("a count that is not believed says nothing of the rules that need it", () => {
    // Of the text's rules 0.4 is the best.
    const losses = lossesOf(TEXT_RULES);
    expect(losses).toMatchObject({ output: 0.4, visible: 0.4 });
    expect(losses.text).toBeCloseTo(0.34 + 0.3, 12);
    expect(losses["text-and-reasoning"]).toBeCloseTo(0.68, 12);
  });
});
