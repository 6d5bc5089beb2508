import { describe, expect, test } from "vitest";
import { account, content, knownModel, line, load, nextModel, replyReport } from "../../testing/ledger-values.ts";
import type { Account } from "./account.ts";
import { arrivedTokensBy, learnRules, learnText, nextSurgeTokens } from "./learn-from-report.ts";
import type { ModelFit } from "./model-fit.ts";
import type { NextPrompt } from "./next-prompt.ts";
import { learn } from "./regression.ts";
import { NO_LOSSES } from "./reply-return.ts";

/** 2 × 30 + 10 × 3 + 7 = 97 tokens. */
const LOAD = load(30, 3, 7);
const model = (fit: Partial<ModelFit> = {}) => nextModel(knownModel(2, fit));
const came = (more: Partial<Account> = {}) => account({ pending: LOAD, reply: replyReport(), ...more });

/** The reply's 100 tokens and 100 others were expected, of which 40 would vanish. */
const prompt = (more: Partial<NextPrompt> = {}): NextPrompt => ({
  expectedTokens: 1160,
  reportedTokens: 1000,
  overheadTokens: 0,
  rule: "output",
  returnedTokens: 100,
  returnedReasoningTokens: 30,
  thrownAwayTokens: 0,
  arrivedTokens: 100,
  turnTokens: 0,
  vanishingTokens: 40,
  ...more,
});

describe("rules of a reply", () => {
  const rules = (from: Account, differenceTokens: number, fit: Partial<ModelFit> = {}) =>
    learnRules(from, model(fit), { prompt: prompt(), differenceTokens }).ruleLosses;

  test("each is judged by what is left of the difference beside it and what arrived by weight", () => {
    // 200 − 97 leaves 103. Output 100: 3 off. Visible 70: 33. Text 50: 53. Text and reasoning 64: 39. Tolerance 15 + 0.12 × 100 = 27, so all but the
    // first count 1; half of what is above the best's 3 / 27.
    const losses = rules(came(), 200);
    expect(losses.output).toBe(0);
    expect(losses.visible).toBeCloseTo((1 - 3 / 27) / 2, 12);
    expect(losses.text).toBeCloseTo((1 - 3 / 27) / 2, 12);
    expect(losses["text-and-reasoning"]).toBeCloseTo((1 - 3 / 27) / 2, 12);
  });

  test("by the line that would hold under it", () => {
    // At 1 token a character 67 arrived and the text is 30: 97 − 67 − 30 is right; by 2 a character 47, 70 − 0 … are far off.
    const { lines } = model().fit;
    const losses = rules(came(), 97, { lines: { ...lines, text: line(1) } });
    expect(losses.text).toBe(0);
    expect(losses.output).toBe(0.5);
  });

  test.each<[string, Partial<Account>]>([
    ["a turn's end tells nothing of them", { pendingHuman: true }],
    ["nor does a report without a reply before it", { reply: null }],
    ["or one whose reply never came", { reply: replyReport({ messageId: null }) }],
  ])("%s", (_, more) => {
    expect(rules(came(more), 200)).toEqual(NO_LOSSES);
  });
});

describe("shares of odd replies", () => {
  const before: Partial<ModelFit> = { untrustedRatio: 0.5, hiddenRatio: 0.5 };
  // Of a text of 2 × 200 = 400 tokens less than 200 cannot be, more than 2 × 400 + 300 exceeds it.
  const said = (outputTokens: number) => replyReport({ outputTokens, reasoningTokens: null, content: content(200) });

  test.each<[string, number, { untrustedRatio: number; hiddenRatio: number }]>([
    [
      "a count that cannot be: 0.5 + 0.2 × 0.5, and 0.5 − 0.2 × 0.5 of the other",
      199,
      { untrustedRatio: 0.6, hiddenRatio: 0.4 },
    ],
    ["a count beyond the text", 1101, { untrustedRatio: 0.4, hiddenRatio: 0.6 }],
    ["a plain count", 400, { untrustedRatio: 0.4, hiddenRatio: 0.4 }],
  ])("%s", (_, outputTokens, expected) => {
    const fit = learnRules(came({ reply: said(outputTokens) }), model(before), { prompt: prompt(), differenceTokens: 200 });
    expect(fit.untrustedRatio).toBeCloseTo(expected.untrustedRatio, 12);
    expect(fit.hiddenRatio).toBeCloseTo(expected.hiddenRatio, 12);
  });

  test("no reply, nothing learned", () => {
    const fit = learnRules(came({ reply: null }), model(before), { prompt: prompt(), differenceTokens: 200 });
    expect(fit).toMatchObject(before);
  });
});

describe("what a turn leaves", () => {
  const turn = (turnTokens: number, differenceTokens: number) =>
    learnRules(came({ pendingHuman: true }), model({ turnLosses: { stays: 0.5, goes: 0.25 } }), {
      prompt: prompt({ turnTokens }),
      differenceTokens,
    }).turnLosses;

  test("both expectations are judged: all of it stays (200), or 80 of it go (120)", () => {
    // Tolerance 15 + 0.12 × 100 + 0.1 × 80 = 35. At 190 the first is 10 off, the second 70, which counts 1. Seven tenths of what was.
    const losses = turn(80, 190);
    expect(losses.stays).toBeCloseTo(0.35 + 10 / 35, 12);
    expect(losses.goes).toBeCloseTo(0.175 + 1, 12);
  });

  test("a fall counts like a rise", () => {
    const losses = turn(80, 110);
    expect(losses.stays).toBeCloseTo(0.35 + 1, 12);
    expect(losses.goes).toBeCloseTo(0.175 + 10 / 35, 12);
  });

  test.each([
    ["40 tokens tell nothing", 40, { stays: 0.5, goes: 0.25 }],
    // Tolerance 27 + 4.1; 200 − 41 = 159 is right.
    ["41 do", 41, { stays: expect.closeTo(0.35 + 1, 12), goes: expect.closeTo(0.175, 12) }],
  ])("%s", (_, turnTokens, losses) => {
    expect(turn(turnTokens, 159)).toEqual(losses);
  });
});

describe("the price of text", () => {
  const doubt = { slopeRatio: 2, messageTokens: 10, covariance: [0.01, 0, 4] } as const;
  const lines = { output: doubt, visible: doubt, text: doubt, "text-and-reasoning": doubt };

  test("is learned from what is left of the difference: 300 + 40 that vanished − 7 fixed − the reply by each rule", () => {
    const fit = learnText(came(), model({ lines }), { prompt: prompt(), differenceTokens: 300 });
    const left = (tokens: number) => learn(doubt, { weighed: 30, messages: 3, tokens });
    expect(fit.lines).toEqual({ output: left(233), visible: left(263), text: left(283), "text-and-reasoning": left(269) });
    expect(fit.regression).toEqual(left(233));
  });

  test.each([
    ["the rule in force", "visible", 263],
    ["the output, where there was no reply to judge", null, 233],
  ] as const)("the line goes on with that of %s", (_, rule, tokens) => {
    const fit = learnText(came(), model({ lines }), { prompt: prompt({ rule }), differenceTokens: 300 });
    expect(fit.regression).toEqual(learn(doubt, { weighed: 30, messages: 3, tokens }));
  });

  test("without a reply all that is left is text: 300 + 40 − 7", () => {
    const fit = learnText(came({ reply: null }), model({ lines }), { prompt: prompt({ rule: null }), differenceTokens: 300 });
    expect(fit.regression).toEqual(learn(doubt, { weighed: 30, messages: 3, tokens: 333 }));
  });

  test.each([0, -10])("a difference of %s teaches nothing", (differenceTokens) => {
    const before = model({ lines });
    expect(learnText(came(), before, { prompt: prompt(), differenceTokens })).toBe(before.fit);
  });
});

describe("what the messages between two reports came to", () => {
  test.each([
    ["what is left of the difference, with what vanished: 500 − 100 + 40", LOAD, 440],
    ["what they weigh, where there are none: 2 × 20", load(20, 0), 40],
  ])("%s", (_, pending, tokens) => {
    expect(arrivedTokensBy({ prompt: prompt(), differenceTokens: 500 }, came({ pending }), model())).toBe(tokens);
  });
});

describe("a surge", () => {
  // 100 + 100 − 40 = 160 were expected; 50 were in the turn before.
  const surge = (differenceTokens: number, more: Partial<Account> = {}) =>
    nextSurgeTokens(came({ turnSurgeTokens: 50, ...more }), model(), { prompt: prompt(), differenceTokens });

  test.each<[string, number, Partial<Account>, number]>([
    ["3,001 tokens more than expected are added", 3161, {}, 3051],
    ["3,000 are not", 3160, {}, 50],
    ["a fall takes back: 50 − 20", 140, {}, 30],
    ["and no more than there is", 80, {}, 0],
    ["what comes as expected changes nothing", 160, {}, 50],
    ["a human message begins a turn of its own", 3161, { pendingHuman: true }, 3001],
    // 10,000 characters: 8 + 0.06 × 20,000 = 1,208 tokens, eight times that is 9,664
    ["after much text it takes eight deviations", 9660, { pending: load(10_000, 0) }, 50],
    ["and then it is one", 9825, { pending: load(10_000, 0) }, 50 + 9665],
  ])("%s", (_, differenceTokens, more, tokens) => {
    expect(surge(differenceTokens, more)).toBe(tokens);
  });
});
