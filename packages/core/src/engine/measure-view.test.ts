import { describe, expect, test } from "vitest";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { human, reply } from "../testing/builders.ts";
import { createEstimator } from "../tokens/built-in-estimators.ts";
import { EMPTY_LEDGER } from "../tokens/estimator.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { sizedParts, viewMeasure } from "./compaction-tools.ts";
import { expectedTokensOf } from "./why-act.ts";

const messages = [human("u", "three"), reply("a", "words")];

/** 12.5 tokens a message; the prediction of a request is given. */
function stateWith(expectedTokens: number) {
  const sven = createEstimator(SVEN_POLICY.estimator, createWorkCounter());
  const overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };
  const prediction = { ...sven.predict(EMPTY_LEDGER, overhead), expectedTokens, overheadTokens: 30 };
  const estimator = { ...sven, messageTokens: () => 12.5, scaleRatio: () => 1.5, predict: () => prediction };
  return { setup: { estimator }, ledger: EMPTY_LEDGER, overhead };
}

test.each([
  ["none", 0, 0],
  ["one: rounded down", 1, 12],
  ["two: rounded once", 2, 25],
])("expected tokens of messages: %s", (_, count, tokens) => {
  expect(expectedTokensOf(messages.slice(0, count), stateWith(0))).toBe(tokens);
});

test.each([
  ["a factor that is a hair below 1.36, 5 + 20 messages' tokens", 1.3599999999999999, [5, 20], 34],
  ["the same the other way round", 1.3599999999999999, [20, 5], 34],
  ["3 + 22 at 1.92", 1.92, [3, 22], 48],
])("expected tokens of messages are what is predicted of them: %s", (_, factor, sizes, tokens) => {
  const estimator = createEstimator(SVEN_POLICY.estimator, createWorkCounter());
  const view = sizes.map((size, index) => human(`m${index}`, "x".repeat(4 * size)));
  const estimatedTokens = view.reduce((sum, message) => sum + estimator.measure.messageTokens(message), 0);
  const ledger = { ...EMPTY_LEDGER, factor, estimatedTokens };
  const overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };
  expect(expectedTokensOf(view, { setup: { estimator }, ledger })).toBe(tokens);
  expect(estimator.predict(ledger, overhead).expectedTokens).toBe(tokens);
});

describe("the measure of a view", () => {
  test.each([
    ["what is predicted without the overhead: 80 − 30", 80, 50],
    ["what its messages measure, if that is more", 40, 25],
  ])("the view takes %s", (_, expectedTokens, viewTokens) => {
    const measure = viewMeasure(messages, stateWith(expectedTokens));
    expect(measure).toMatchObject({ expectedTokens, overheadTokens: 30, viewTokens });
    expect(measure.tokensOf(messages)).toBe(viewTokens);
  });

  test("each message has its share of what no message explains: 50 of 25", () => {
    const measure = viewMeasure(messages, stateWith(80));
    expect(messages.map(measure.messageTokens)).toEqual([25, 25]);
    expect(measure.scaleRatio).toBe(1.5 * 2);
    expect(measure.tokensOf(messages.slice(1))).toBe(24);
  });

  test.each([29, 57, 58, 100])(
    "what measures as much as the view counts as much, if %i tokens are expected of 25",
    (viewTokens) => {
      const measure = viewMeasure(messages, stateWith(30 + viewTokens));
      expect(measure.tokensOf([...messages])).toBe(viewTokens);
    },
  );

  test("an empty view shares nothing", () => {
    const measure = viewMeasure([], stateWith(80));
    expect([measure.viewTokens, measure.scaleRatio, measure.tokensOf(messages)]).toEqual([50, 1.5, 25]);
  });
});

describe("the parts of a context that cannot be made to fit", () => {
  test.each<[string, typeof messages, readonly number[]]>([
    ["overhead, the person's message, what is pending, and the rest of the view", messages, [30, 24, 12, 26]],
    ["without a person's message all of the view is rest", messages.slice(1), [30, 0, 12, 50]],
  ])("%s", (_, view, tokens) => {
    const state = stateWith(80);
    const parts = sizedParts(view, { measure: viewMeasure(view, state), state, pending: [human("p", "next")] });
    expect(parts).toEqual(
      (["overhead", "last-human-message", "pending", "rest"] as const).map((what, index) => ({ what, tokens: tokens[index] })),
    );
  });
});
