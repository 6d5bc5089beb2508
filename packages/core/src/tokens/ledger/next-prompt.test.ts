import { describe, expect, test } from "vitest";
import { account, beside, content, knownModel, load, nextModel, replyReport } from "../../testing/ledger-values.ts";
import type { Account, Base, Epoch } from "./account.ts";
import type { KnownModel, Model } from "./model-fit.ts";
import type { Arrival } from "./next-prompt.ts";
import { arrivalOf, nextPrompt, overheadOf } from "./next-prompt.ts";

/** 2 × (10 + 1.5 × 20) + 7 = 87 tokens. */
const BESIDE = beside(10, 20, 7);
/** 2 × 30 + 10 × 3 + 7 = 97 tokens. */
const LOAD = load(30, 3, 7);

describe("overhead", () => {
  const epoch: Epoch = { modelId: "m", promptTokens: 1000, measuredTokens: 100, load: load(50, 2, 5), beside: beside(5, 0, 3) };

  test.each<[string, Epoch | null, Partial<Model>, number]>([
    ["by weight where nothing was reported: 2 × (10 + 1.5 × 20) + 7", null, {}, 87],
    // 1,000 − 100 − (2 × 50 + 10 × 2 + 5); since then 87 − (2 × 5 + 3)
    ["what the first report had above its messages, and what changed: 775 + 74", epoch, {}, 849],
    // 1,000 − 100 − (4 × 50 + 10 × 2 + 5) = 675, at half the price
    ["what a dearer model counted is rescaled: 675 × 2 / 4 + 74", epoch, { epoch: knownModel(4) }, 411.5],
    ["never below none, before what changed: 0 + 74", { ...epoch, promptTokens: 200 }, {}, 74],
  ])("%s", (_, first, more, tokens) => {
    expect(overheadOf(first, nextModel(knownModel(2), more), BESIDE)).toBe(tokens);
  });
});

describe("what came after the base", () => {
  const arrival = (more: Partial<Account>, model: Model = nextModel()): Arrival =>
    arrivalOf(account({ pending: LOAD, reply: replyReport(), turnReasoningTokens: 40, turnSurgeTokens: 60, ...more }), model);
  const goes: Partial<KnownModel["fit"]> = { turnLosses: { stays: 0.2, goes: 0.1 } };

  test("the reply by its rule, the rest by weight: 100, and 2 × 30 + 10 × 3 + 7", () => {
    expect(arrival({})).toEqual({
      rule: "output",
      returnedTokens: 100,
      returnedReasoningTokens: 30,
      thrownAwayTokens: 0,
      arrivedTokens: 97,
      turnTokens: 0,
      vanishingTokens: 0,
    });
  });

  test("no reply, nothing returned", () => {
    expect(arrival({ reply: null })).toMatchObject({
      rule: null,
      returnedTokens: 0,
      returnedReasoningTokens: 0,
      arrivedTokens: 97,
    });
  });

  test.each<[string, Partial<KnownModel["fit"]>, number]>([
    ["goes, if that was off by less", goes, 130],
    ["stays, if that was", { turnLosses: { stays: 0.1, goes: 0.2 } }, 0],
    ["stays, if both were right", { turnLosses: { stays: 0, goes: 0 } }, 0],
  ])("at a human message the turn's reasoning, its surges and the reply's own (40 + 60 + 30) %s", (_, fit, vanishingTokens) => {
    const model = nextModel(knownModel(2, fit));
    expect(arrival({ pendingHuman: true }, model)).toMatchObject({ turnTokens: 130, vanishingTokens });
    expect(arrival({ pendingHuman: false }, model)).toMatchObject({ turnTokens: 0, vanishingTokens: 0 });
  });

  test("what a model of twice the price reported counts half: 50, and 20 + 30 + 15 of the turn", () => {
    const model = nextModel(knownModel(2), { reported: knownModel(4) });
    expect(arrival({ pendingHuman: true }, model)).toMatchObject({
      returnedTokens: 50,
      returnedReasoningTokens: 15,
      turnTokens: 65,
    });
  });

  // The text costs 2 × 200 = 400; an output below 200 cannot be.
  const impossible = replyReport({ outputTokens: 150, reasoningTokens: null, content: content(200) });
  test.each<[string, number, number]>([
    ["of a model whose counts are right is believed", 0.1, 150],
    ["of one whose counts are often wrong leaves the text: 400 + 10", 0.11, 410],
  ])("an output that cannot be, %s", (_, untrustedRatio, returnedTokens) => {
    const model = nextModel(knownModel(2, { untrustedRatio }));
    expect(arrival({ reply: impossible }, model)).toMatchObject({ returnedTokens });
  });

  test("a possible output is believed of any model, up to half of whose counts are wrong", () => {
    const possible = replyReport({ outputTokens: 250, reasoningTokens: null, content: content(200) });
    const model = nextModel(knownModel(2, { untrustedRatio: 0.4 }));
    expect(arrival({ reply: possible }, model)).toMatchObject({ rule: "output", returnedTokens: 250 });
  });

  // Twice its text and 300 are 2 × 400 + 300 = 1,100.
  const hidden = replyReport({ outputTokens: 1200, reasoningTokens: null, content: content(200) });
  test.each<[string, number, Partial<Arrival>]>([
    ["comes back where a model often has such", 0.2, { rule: "output", returnedTokens: 1200, thrownAwayTokens: 0 }],
    [
      "was thrown away where it rarely has: 1,200 − (400 + 10)",
      0.19,
      { rule: "text", returnedTokens: 410, thrownAwayTokens: 790 },
    ],
  ])("output that the text does not show %s", (_, hiddenRatio, expected) => {
    expect(arrival({ reply: hidden }, nextModel(knownModel(2, { hiddenRatio })))).toMatchObject(expected);
  });

  test("output that the text shows is not thrown away", () => {
    expect(arrival({}, nextModel(knownModel(2, { hiddenRatio: 0 })))).toMatchObject({
      returnedTokens: 100,
      thrownAwayTokens: 0,
    });
  });
});

describe("the next prompt", () => {
  // The reply's 100, 97 by weight, and 130 of the turn that vanish: 67 more.
  const vanishing = nextModel(knownModel(2, { turnLosses: { stays: 1, goes: 0 } }));
  const after = (base: Base, more: Partial<Account> = {}) =>
    account({
      ...{ base, pending: LOAD, pendingHuman: true, reply: replyReport(), turnReasoningTokens: 40, turnSurgeTokens: 60 },
      ...more,
    });
  const cut: Base = { kind: "cut", measuredTokens: 300, measuredLoad: load(60, 4, 11), load: load(5, 1, 9) };

  test.each<[string, Account, Model, { expectedTokens: number; reportedTokens: number; overheadTokens: number }]>([
    [
      "nothing reported: overhead and all messages by weight, 87 + 97",
      account({ base: { kind: "nothing" }, view: LOAD }),
      nextModel(),
      { expectedTokens: 184, reportedTokens: 0, overheadTokens: 87 },
    ],
    [
      // 87 − (2 × 5 + 3) came beside the messages
      "a report: 1,000 + 74 + 67",
      after({ kind: "report", promptTokens: 1000, beside: beside(5, 0, 3) }),
      vanishing,
      { expectedTokens: 1141, reportedTokens: 1000, overheadTokens: 87 },
    ],
    [
      "a report of a model of twice the price: 500 + 74 + 67",
      after({ kind: "report", promptTokens: 1000, beside: beside(5, 0, 3) }),
      { ...vanishing, switchRatio: 0.5 },
      { expectedTokens: 641, reportedTokens: 500, overheadTokens: 87 },
    ],
    [
      // 2 × 5 + 10 + 9 = 29 were never measured
      "a cut: overhead 87, measured 300, by weight 29, and 67",
      after(cut),
      vanishing,
      { expectedTokens: 483, reportedTokens: 300, overheadTokens: 87 },
    ],
    [
      "a cut, and the next model is not named",
      after(cut, { nextModelId: null }),
      vanishing,
      { expectedTokens: 483, reportedTokens: 300, overheadTokens: 87 },
    ],
    [
      // 2 × 60 + 10 × 4 + 11 = 171
      "a cut, and another model: what was measured is weighed as well, 87 + 171 + 29 + 67",
      after(cut, { nextModelId: "other" }),
      vanishing,
      { expectedTokens: 354, reportedTokens: 0, overheadTokens: 87 },
    ],
  ])("%s", (_, from, model, expected) => {
    expect(nextPrompt(from, model, BESIDE)).toMatchObject(expected);
  });
});
