import { describe, expect, test } from "vitest";
import {
  content,
  contentSum,
  counts,
  HAND_PRIOR,
  knownModel,
  ledgerAfterReport,
  line,
  nextModel,
  overheadCounts,
  replyReport,
} from "../../../testing/ledger-values.ts";
import { usageEntry } from "../../testing/builders.ts";
import { usageOf } from "../../usage.ts";
import { EMPTY_LEDGER } from "../estimator.ts";
import { arrivedTokensBy, learnRules, learnText, nextJump, writeBack } from "./learn-from-report.ts";
import { measuredBy } from "./ledger-estimator.ts";
import { learn, type MeasuredState, type ModelFit, NO_JUMP, NO_LOSSES, RETURN_RULES, type ReturnRule } from "./model-fit.ts";
import type { NextPrompt } from "./next-prompt.ts";

/** 2 × 30 + 10 × 3 + 7 = 97 tokens. */
const CONTENT = contentSum(30, 3, 7);
const model = (fit: Partial<ModelFit> = {}) => nextModel(knownModel(2, fit));
const came = (more: Partial<MeasuredState> = {}) => ledgerAfterReport({ unreported: CONTENT, reply: replyReport(), ...more });

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
  const rules = (from: MeasuredState, differenceTokens: number, fit: Partial<ModelFit> = {}) =>
    learnRules(from, model(fit), { prompt: prompt(), differenceTokens }).ruleLosses;

  test("each is judged by what is left of the difference without it and what arrived by weight", () => {
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

  test.each<[string, Partial<MeasuredState>]>([
    ["a turn's end tells nothing of them", { hasUnreportedHuman: true }],
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
    learnRules(came({ hasUnreportedHuman: true }), model({ turnLosses: { stays: 0.5, goes: 0.25 } }), {
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
    ["the output, if there was no reply to judge", null, 233],
  ] as const)("the line goes on with that of %s", (_, rule, tokens) => {
    const fit = learnText(came(), model({ lines }), { prompt: prompt({ rule }), differenceTokens: 300 });
    expect(fit.regression).toEqual(learn(doubt, { weighed: 30, messages: 3, tokens }));
  });

  // 333 without the reply: by output 100, visible 70, text 50, text and reasoning 64.
  test.each<[string, number, ReturnRule, readonly number[]]>([
    ["if counts are wrong now and then, one that was not believed teaches no line", 0.11, "text", [283, 283, 283, 269]],
    ["nor does the text's weight where a count was believed", 0.11, "visible", [233, 263, 263, 263]],
    ["if counts are right, every line learns by its own rule", 0.1, "text", [233, 263, 283, 269]],
  ])("%s", (_, untrustedRatio, rule, tokens) => {
    const fit = learnText(came(), model({ lines, untrustedRatio }), { prompt: prompt({ rule }), differenceTokens: 300 });
    expect(RETURN_RULES.map((of) => fit.lines[of])).toEqual(
      tokens.map((left) => learn(doubt, { weighed: 30, messages: 3, tokens: left })),
    );
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
    ["what is left of the difference, with what vanished: 500 − 100 + 40", CONTENT, 440],
    ["what they weigh, if there are none: 2 × 20", contentSum(20, 0), 40],
  ])("%s", (_, unreported, tokens) => {
    expect(arrivedTokensBy({ prompt: prompt(), differenceTokens: 500 }, came({ unreported }), model())).toBe(tokens);
  });
});

describe("a jump", () => {
  // 100 + 60 = 160 were expected.
  const expected = prompt({ arrivedTokens: 60, vanishingTokens: 0 });
  const [risen, room] = [
    { risenTokens: 8400, roomTokens: 0 },
    { risenTokens: 0, roomTokens: 1000 },
  ];

  test.each<[string, number, Partial<MeasuredState>, MeasuredState["jump"]]>([
    ["is 3,001 tokens more than expected", 3161, {}, { risenTokens: 3001, roomTokens: 0 }],
    ["is not 3,000", 3160, {}, NO_JUMP],
    ["has room once it was taken back whole", 160 - 8400, { jump: risen }, { risenTokens: 0, roomTokens: 8400 }],
    ["or but for a twentieth, and a deviation of 10.5", 160 - 8820, { jump: risen }, { risenTokens: 0, roomTokens: 8400 }],
    ["has none if something else fell", 160 - 9300, { jump: risen }, { risenTokens: 0, roomTokens: 0 }],
    ["keeps its room while what comes is expected", 160, { jump: room }, room],
    // 10,000 characters: 8 + 0.05 × 20,000 = 1,008 tokens, eight times that is 8,064
    ["takes eight deviations after much text", 8224, { unreported: contentSum(10_000, 0) }, NO_JUMP],
    ["and then it is one", 8225, { unreported: contentSum(10_000, 0) }, { risenTokens: 8065, roomTokens: 0 }],
  ])("%s", (_, differenceTokens, more, jump) => {
    expect(nextJump(came(more), model(), { prompt: expected, differenceTokens })).toEqual(jump);
  });

  // A fall of 16,000 was expected at a turn: 160 − 16,000
  test.each<[string, number, number]>([
    ["a fall that did not come is none", 160, 0],
    ["one that came leaves nothing", 160 - 16_000, 0],
    ["what rose above that is one", 160 + 3001, 3001],
    ["what rose above the fall is one as well", 160 - 16_000 + 3001, 3001],
  ])("at a turn at which much was to vanish, %s", (_, differenceTokens, risenTokens) => {
    const falls = prompt({ arrivedTokens: 60, turnTokens: 16_000, vanishingTokens: 16_000 });
    const ledger = came({ hasUnreportedHuman: true });
    expect(nextJump(ledger, model(), { prompt: falls, differenceTokens })).toEqual({ risenTokens, roomTokens: 0 });
  });
});

const few = { id: "few", content: content(10), fixedTokens: 0 };
const many = { id: "many", content: content(30), fixedTokens: 5 };
const returned = { tokens: 100, reasoningTokens: 30 };

describe("what was unreported is written back", () => {
  // By weight 2 × 10 + 10 = 30 and 2 × 30 + 10 + 5 = 75, together 105.
  test.each<[string, number | null, number, number]>([
    ["as the report says, in proportion to the weights: 126 / 105", 126, 36, 90],
    ["up to twice the weights", 210, 60, 150],
    ["beyond that by weight: the rise is not theirs alone", 211, 30, 75],
    ["down to half of them", 52.5, 15, 37.5],
    ["below that by weight", 52, 30, 75],
    ["by weight if no report says", null, 30, 75],
  ])("%s", (_, arrivedTokens, fewTokens, manyTokens) => {
    const measured = writeBack(ledgerAfterReport({ came: [few, many] }), nextModel(), {
      modelId: "m",
      returned,
      arrivedTokens,
    });
    expect(measured.slice()).toEqual([
      { id: "few", content: few.content, modelId: "m", tokens: expect.closeTo(fewTokens, 10), reasoningTokens: 0 },
      { id: "many", content: many.content, modelId: "m", tokens: expect.closeTo(manyTokens, 10), reasoningTokens: 0 },
    ]);
  });

  test("the reply has what came back of it, behind what was measured before", () => {
    const before = writeBack(ledgerAfterReport({ came: [few] }), nextModel(), { modelId: "m", returned, arrivedTokens: null });
    const reply = replyReport();
    const after = writeBack(ledgerAfterReport({ measured: before, reply }), nextModel(), {
      modelId: "m",
      returned,
      arrivedTokens: 50,
    });
    expect(after.slice(1)).toEqual([{ id: "reply", content: reply.content, modelId: "m", tokens: 100, reasoningTokens: 30 }]);
  });

  test.each([
    ["no reply", null],
    ["one that never came", replyReport({ messageId: null, content: null })],
    ["one with nothing to send back", replyReport({ content: null })],
  ])("%s has no size", (_, reply) => {
    expect(writeBack(ledgerAfterReport({ reply }), nextModel(), { modelId: "m", returned, arrivedTokens: 50 }).size).toBe(0);
  });

  test("messages that weigh nothing get nothing of a difference", () => {
    const { prior, fit } = knownModel(2);
    const free = nextModel({ prior, fit: { ...fit, regression: { ...fit.regression, messageTokens: 0 } } });
    const empty = { id: "empty", content: content(0), fixedTokens: 0 };
    const measured = writeBack(ledgerAfterReport({ came: [empty] }), free, { modelId: "m", returned, arrivedTokens: 50 });
    expect(measured.at(0)).toMatchObject({ id: "empty", tokens: 0 });
  });

  test("the newest size of a message comes last", () => {
    const first = writeBack(ledgerAfterReport({ came: [few] }), nextModel(), { modelId: "m", returned, arrivedTokens: 30 });
    const again = writeBack(ledgerAfterReport({ measured: first, came: [few] }), nextModel(), {
      modelId: "m",
      returned,
      arrivedTokens: 45,
    });
    expect(again.at(-1)?.tokens).toBe(45);
  });
});

const priors = () => HAND_PRIOR;
const fits = { m: knownModel(2).fit };
const after = (promptTokens: number | null, more: Partial<MeasuredState> = {}, modelId = "m") =>
  measuredBy(
    { ...EMPTY_LEDGER, own: ledgerAfterReport({ fits, unreported: contentSum(30, 3), reply: replyReport(), ...more }) },
    { ...usageEntry("next", null, 0), modelId, usage: usageOf({ totalInputTokens: promptTokens }) },
    priors,
  );

describe("what a report measures", () => {
  test.each([
    ["the rise without the reply: 1,250 − 1,000 − 100", 1250, 150],
    ["a single token", 1101, 1],
  ])("%s", (_, promptTokens, tokens) => {
    expect(after(promptTokens)).toEqual({ modelId: "m", counts: counts(30), messages: 3, tokens });
  });

  test.each<[string, number | null, Partial<MeasuredState>, string]>([
    ["a report without a size", null, {}, "m"],
    ["no rise", 1100, {}, "m"],
    ["a fall", 900, {}, "m"],
    ["the first report", 1250, { base: { kind: "nothing" } }, "m"],
    ["one of another model", 1250, {}, "other"],
    ["one at a human message", 1250, { hasUnreportedHuman: true }, "m"],
    ["one with an image", 1250, { unreported: contentSum(30, 3, 1) }, "m"],
    ["one with nothing new", 1250, { unreported: contentSum(0, 0) }, "m"],
  ])("%s measures no text", (_, promptTokens, more, modelId) => {
    expect(after(promptTokens, more, modelId)).toBeNull();
  });

  test("nor does one before there is anything", () => {
    expect(measuredBy(EMPTY_LEDGER, usageEntry("first", null, 500), priors)).toBeNull();
    expect(after(1250, { base: { kind: "report", promptTokens: 1000, overhead: overheadCounts(0) } })).not.toBeNull();
  });
});
