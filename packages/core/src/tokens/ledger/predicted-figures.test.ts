import { describe, expect, test } from "vitest";
import {
  content,
  contentSum,
  HAND_PRIOR,
  knownModel,
  ledgerAfterReport,
  overheadCounts,
  replyReport,
} from "../../../testing/ledger-values.ts";
import { human } from "../../testing/builders.ts";
import { createEstimator } from "../built-in-estimators.ts";
import { contentReader } from "../char-class.ts";
import { EMPTY_LEDGER, type Ledger, type Overhead } from "../estimator.ts";
import { createWorkCounter } from "../measure.ts";
import type { FirstReport, MeasuredMessage, MeasuredState } from "./model-fit.ts";

const fits = { m: knownModel(2).fit };
const bare: Overhead = { system: "", tools: [], dynamicContext: null, hiddenTokens: 0 };
const ledgerOf = (more: Parameters<typeof ledgerAfterReport>[0]): Ledger => ({
  ...EMPTY_LEDGER,
  own: ledgerAfterReport({ fits, ...more }),
});
const estimator = () => createEstimator({ kind: "ledger" }, createWorkCounter(), { priors: () => HAND_PRIOR });
const predicted = (more: Partial<MeasuredState>, overhead: Partial<Overhead> = {}) =>
  estimator().predict(ledgerOf(more), { ...bare, ...overhead });

/** A word of 25 characters, which weighs 25. */
const word = "x".repeat(25);
const firstReport: FirstReport = {
  modelId: "m",
  promptTokens: 1000,
  measuredTokens: 0,
  unmeasuredContent: contentSum(30, 3),
  overhead: overheadCounts(100),
  laterReports: 0,
};

describe("a prediction", () => {
  test("is what was reported and what came since: 1,000 + 2 × 30 + 10 × 3", () => {
    const { expectedTokens, reportedTokens, estimatedTokens } = predicted({ unreported: contentSum(30, 3) });
    expect({ expectedTokens, reportedTokens, estimatedTokens }).toEqual({
      expectedTokens: 1090,
      reportedTokens: 1000,
      estimatedTokens: 90,
    });
  });

  test("has no more reported in it than it expects: 1,000 − 50 that vanish at the human message", () => {
    const model = { m: { ...knownModel(2).fit, turnLosses: { stays: 1, goes: 0 } } };
    expect(predicted({ fits: model, hasUnreportedHuman: true, turnReasoningTokens: 50 })).toMatchObject({
      expectedTokens: 950,
      reportedTokens: 950,
      estimatedTokens: 0,
    });
  });

  test("is not below none: 10 reported, and 200 of system text less than then", () => {
    const base = { kind: "report", promptTokens: 10, overhead: overheadCounts(100) } as const;
    expect(predicted({ base })).toMatchObject({ expectedTokens: 0, reportedTokens: 0, estimatedTokens: 0 });
  });

  test.each<[string, Partial<MeasuredState>, Partial<Overhead>, number]>([
    ["1,000 of the first report, 2 × 30 + 10 × 3 of its messages, and 200 of system text less", { firstReport }, {}, 710],
    ["never below none", { firstReport: { ...firstReport, promptTokens: 100 } }, {}, 0],
    ["without a report, by weight: 2 × 25, and 7", { firstReport: null }, { system: word, hiddenTokens: 7 }, 57],
    [
      "of tools 1.5 times as much: 3 × 2 × 25 × 1.5",
      { firstReport: null },
      { tools: [{ name: word, description: word, parametersJson: word }] },
      225,
    ],
    ["with the dynamic context: 2 × (25 + 25)", { firstReport: null }, { system: word, dynamicContext: word }, 100],
  ])("overhead: %s", (_, more, overhead, overheadTokens) => {
    expect(predicted(more, overhead).overheadTokens).toBe(overheadTokens);
  });

  test("overhead: another system text or other tools are read anew, by the same estimator", () => {
    const one = estimator();
    const tools = [{ name: word, description: "", parametersJson: "" }];
    const overheadOf = (overhead: Partial<Overhead>) => one.predict(ledgerOf({}), { ...bare, ...overhead }).overheadTokens;
    expect([{ system: word }, {}, { tools }, { system: word, tools }, {}].map(overheadOf)).toEqual([50, 0, 75, 125, 0]);
  });

  // Overhead 1,000 − (2 × 30 + 10 × 3) − 200 = 710.
  test.each<[string, number, number]>([
    ["measured 50.9, and 2 × 10 + 10 by weight: 710 + 80 whole ones", 50.9, 790],
    ["a cut that left less than nothing leaves the overhead", -500, 710],
  ])("after a cut: %s", (_, measuredTokens, expectedTokens) => {
    const base = {
      kind: "cut",
      by: "engine",
      measuredTokens,
      measuredContent: contentSum(0, 0),
      unmeasuredContent: contentSum(10, 1),
    } as const;
    expect(predicted({ firstReport, base })).toMatchObject({ expectedTokens, overheadTokens: 710 });
  });

  test.each<[string, Partial<MeasuredState>, Partial<Overhead>, string]>([
    ["nothing", {}, {}, "unanchored"],
    ["a report", { firstReport }, {}, "ledger(char-class)"],
    ["a system text", {}, { system: word }, "ledger(char-class)"],
    ["tools", {}, { tools: [{ name: word, description: "", parametersJson: "" }] }, "ledger(char-class)"],
    ["a hidden token", {}, { hiddenTokens: 1 }, "ledger(char-class)"],
  ])("knows of the overhead by %s", (_, more, overhead, basis) => {
    expect(predicted(more, overhead).basis).toBe(basis);
  });

  test("its bound is whole: 1,000 × (1 + 0.003 + 1.2 × 0.0015) = 1,004.8", () => {
    expect(predicted({}).upperTokens).toBe(1005);
  });
});

describe("the price of a message", () => {
  const { counts: wordCounts } = contentReader(createWorkCounter())(human("h", word));
  const size = (id: string, tokens: number, more: Partial<MeasuredMessage> = {}): MeasuredMessage => ({
    ...{ id, content: { ...content(0), counts: wordCounts }, modelId: "m", tokens, reasoningTokens: 0 },
    ...more,
  });
  const measuredBy = (...sizes: readonly MeasuredMessage[]) =>
    sizes.reduce((list, each) => list.append(each), ledgerAfterReport().measured);

  test.each<[string, Partial<MeasuredState>, number]>([
    ["as it was measured", { measured: measuredBy(size("h", 77)) }, 77],
    ["as it was measured last", { measured: measuredBy(size("h", 77), size("h", 78)) }, 78],
    ["by weight, if another model measured it: 2 × 25 + 10", { measured: measuredBy(size("h", 77, { modelId: "other" })) }, 60],
    ["by weight, if it has other content now", { measured: measuredBy(size("h", 77, { content: content(9) })) }, 60],
    ["by weight, if only others were measured", { measured: measuredBy(size("x", 77)) }, 60],
    [
      "a reply: what came back of it",
      { reply: replyReport({ messageId: "h", content: size("h", 0).content, reasoningTokens: null }) },
      100,
    ],
    ["another's reply does not price it", { reply: replyReport({ content: size("h", 0).content }) }, 60],
    ["nor does one that is not there yet", { reply: replyReport({ messageId: "h", content: null }) }, 60],
    ["nor its own before it was edited", { reply: replyReport({ messageId: "h" }) }, 60],
    [
      "nor what another model reported of it",
      { nextModelId: "other", reply: replyReport({ messageId: "h", content: size("h", 0).content }) },
      60,
    ],
  ])("%s", (_, more, tokens) => {
    expect(estimator().messageTokens(human("h", word), ledgerOf(more))).toBe(tokens);
  });

  test("sizes go on from those seen before, and from none of another log", () => {
    const one = estimator();
    const price = (...sizes: readonly MeasuredMessage[]) =>
      one.messageTokens(human("h", word), ledgerOf({ measured: measuredBy(...sizes) }));
    const grows = measuredBy(size("a", 1));
    expect(one.messageTokens(human("h", word), ledgerOf({ measured: grows }))).toBe(60);
    expect(one.messageTokens(human("h", word), ledgerOf({ measured: grows.append(size("h", 77)) }))).toBe(77);
    expect(price(size("h", 78))).toBe(78);
    expect(price(size("b", 2), size("c", 3))).toBe(60);
    expect(price(size("d", 4), size("h", 79), size("e", 5))).toBe(79);
    expect(price()).toBe(60);
  });

  test("of sizes that go on only the new ones are read", () => {
    const one = estimator();
    const starts: (number | undefined)[] = [];
    const watched = (measured: MeasuredState["measured"]): MeasuredState["measured"] => ({
      size: measured.size,
      at: (index) => measured.at(index),
      append: (item) => measured.append(item),
      goesOnFrom: (before) => measured.goesOnFrom(before),
      [Symbol.iterator]: () => measured[Symbol.iterator](),
      slice: (start, end) => {
        starts.push(start);
        return measured.slice(start, end);
      },
    });
    const first = measuredBy(size("a", 1));
    for (const measured of [first, first.append(size("b", 2))])
      one.messageTokens(human("h", word), ledgerOf({ measured: watched(measured) }));
    expect(starts).toEqual([0, 1]);
  });
});

test("a slope scales what was priced without the model", () => {
  expect(estimator().scaleRatio(ledgerOf({ fits: { m: knownModel(3).fit } }))).toBe(3);
  expect(estimator().upperRatioAfterCut(ledgerOf({}))).toBeCloseTo(1 + 0.003 + 1.2 * 0.08, 12);
});
