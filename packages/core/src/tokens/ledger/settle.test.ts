import { describe, expect, test } from "vitest";
import { account, content, knownModel, nextModel, replyReport } from "../../testing/ledger-values.ts";
import { settle, sizesById } from "./settle.ts";

const few = { id: "few", content: content(10), fixedTokens: 0 };
const many = { id: "many", content: content(30), fixedTokens: 5 };
const returned = { tokens: 100, reasoningTokens: 30 };

describe("what was pending is written back", () => {
  // By weight 2 × 10 + 10 = 30 and 2 × 30 + 10 + 5 = 75, together 105.
  test.each<[string, number | null, number, number]>([
    ["as the report says, in proportion to the weights: 126 / 105", 126, 36, 90],
    ["up to twice the weights", 210, 60, 150],
    ["beyond that by weight: the rise is not theirs alone", 211, 30, 75],
    ["down to half of them", 52.5, 15, 37.5],
    ["below that by weight", 52, 30, 75],
    ["by weight where no report says", null, 30, 75],
  ])("%s", (_, arrivedTokens, fewTokens, manyTokens) => {
    const measured = settle(account({ came: [few, many] }), nextModel(), { modelId: "m", returned, arrivedTokens });
    expect(measured.slice()).toEqual([
      { id: "few", content: few.content, modelId: "m", tokens: expect.closeTo(fewTokens, 10), reasoningTokens: 0 },
      { id: "many", content: many.content, modelId: "m", tokens: expect.closeTo(manyTokens, 10), reasoningTokens: 0 },
    ]);
  });

  test("the reply has what came back of it, behind what was measured before", () => {
    const before = settle(account({ came: [few] }), nextModel(), { modelId: "m", returned, arrivedTokens: null });
    const reply = replyReport();
    const after = settle(account({ measured: before, reply }), nextModel(), { modelId: "m", returned, arrivedTokens: 50 });
    expect(after.slice(1)).toEqual([{ id: "reply", content: reply.content, modelId: "m", tokens: 100, reasoningTokens: 30 }]);
  });

  test.each([
    ["no reply", null],
    ["one that never came", replyReport({ messageId: null, content: null })],
    ["one with nothing to send back", replyReport({ content: null })],
  ])("%s has no size", (_, reply) => {
    expect(settle(account({ reply }), nextModel(), { modelId: "m", returned, arrivedTokens: 50 }).size).toBe(0);
  });

  test("messages that weigh nothing get nothing of a difference", () => {
    const { prior, fit } = knownModel(2);
    const free = nextModel({ prior, fit: { ...fit, regression: { ...fit.regression, messageTokens: 0 } } });
    const empty = { id: "empty", content: content(0), fixedTokens: 0 };
    const measured = settle(account({ came: [empty] }), free, { modelId: "m", returned, arrivedTokens: 50 });
    expect(measured.at(0)).toMatchObject({ id: "empty", tokens: 0 });
  });

  test("the newest size of a message counts", () => {
    const first = settle(account({ came: [few] }), nextModel(), { modelId: "m", returned, arrivedTokens: 30 });
    const again = settle(account({ measured: first, came: [few] }), nextModel(), { modelId: "m", returned, arrivedTokens: 45 });
    expect(sizesById(again).get("few")?.tokens).toBe(45);
  });
});
