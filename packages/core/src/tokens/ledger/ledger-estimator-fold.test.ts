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
import type { UsageEntry } from "../../entry.ts";
import { type Message, textOf } from "../../message/message.ts";
import { assistant, human, result, usageEntry } from "../../testing/builders.ts";
import { rejectedUsage, usageOf } from "../../usage.ts";
import { NO_CONTENT } from "../char-class.ts";
import type { ModelPriors } from "../measure.ts";
import { withReport } from "./learn-from-report.ts";
import { type Reading, sizeIndex, withMessage, withView } from "./ledger-estimator.ts";
import type { FirstReport, MeasuredMessage, MeasuredState, ModelFit } from "./model-fit.ts";

const priors: ModelPriors = () => HAND_PRIOR;
/** Each character weighs 1: 2 tokens by the prior. */
const reading: Reading = { contentOf: (message) => content(textOf(message).length), priors, sizesOf: sizeIndex() };
const fits = { m: knownModel(2).fit };
const text = (chars: number) => "x".repeat(chars);
const sizeOf = ({ measured }: MeasuredState, id: string) => measured.slice().findLast((size) => size.id === id);

describe("a message", () => {
  const said = (requestId: string | null) => ({ ...assistant("a", [{ type: "text", text: text(20) }]), requestId });
  const waits = replyReport({ messageId: null, content: null });

  test("that no report covers yet is weighed", () => {
    const before = ledgerAfterReport({ fits, view: contentSum(30, 3), unreported: contentSum(5, 1) });
    const after = withMessage(before, human("h", text(20)), reading);
    expect(after).toMatchObject({ view: contentSum(50, 4), unreported: contentSum(25, 2), hasUnreportedHuman: true });
    expect(after.unreportedMessages.slice()).toEqual([{ id: "h", content: content(20), fixedTokens: 0 }]);
    expect(withMessage(after, result("r", "c", ""), reading).hasUnreportedHuman).toBe(true);
    expect(withMessage(before, result("r", "c", ""), reading).hasUnreportedHuman).toBe(false);
  });

  test.each<[string, string | null, Partial<MeasuredState>]>([
    ["of the reported request", "request", { unreported: contentSum(5, 1) }],
    ["without a request, first after the report", null, {}],
  ])("%s is its reply", (_, requestId, more) => {
    const before = ledgerAfterReport({ fits, view: contentSum(30, 3), reply: waits, ...more });
    const after = withMessage(before, said(requestId), reading);
    expect(after).toMatchObject({ view: contentSum(50, 4), unreported: before.unreported });
    expect(after.reply).toEqual({ ...waits, messageId: "a", content: content(20) });
  });

  const other = [{ id: "x", content: content(5), fixedTokens: 0 }];
  test.each<[string, Message, Partial<MeasuredState> & { readonly came?: typeof other }]>([
    ["of another request", said("other"), { reply: waits }],
    ["without a request, after other messages", said(null), { reply: waits, came: other }],
    ["after the reply was there", said("request"), { reply: replyReport() }],
    ["without a report", said("request"), { reply: null }],
    ["of a tool", result("r", "c", text(20)), { reply: waits }],
  ])("%s is no reply", (_, message, more) => {
    const after = withMessage(ledgerAfterReport(more), message, reading);
    expect(after).toMatchObject({ unreported: contentSum(20, 1), reply: more.reply });
  });
});

const reported = (totalInputTokens: number | null, more: Partial<UsageEntry> = {}): UsageEntry => ({
  ...usageEntry("next", null, 0),
  modelId: "m",
  usage: usageOf({ totalInputTokens, outputTokens: 80, reasoningTokens: 20 }),
  ...more,
});
const after = (from: MeasuredState, entry: UsageEntry, overhead = overheadCounts(25)) =>
  withReport(from, entry, { priors, overhead });

describe("a report", () => {
  test("is what the next prompt is built on", () => {
    const next = after(ledgerAfterReport({ fits, unreported: contentSum(5, 1), hasUnreportedHuman: true }), reported(1200));
    expect(next).toMatchObject({
      base: { kind: "report", promptTokens: 1200, overhead: overheadCounts(25) },
      reply: { requestId: "next", messageId: null, outputTokens: 80, reasoningTokens: 20, content: null },
      unreported: NO_CONTENT,
      hasUnreportedHuman: false,
    });
  });

  test("of a model without one before teaches nothing yet: its prior holds", () => {
    const next = after(ledgerAfterReport({ reportedModelId: null, base: { kind: "nothing" } }), reported(1200));
    expect(next.fits.m?.regression.slopeRatio).toBe(2);
  });

  test.each([null, 0, -1, 1_000_000_001])("of %s tokens only names the model", (tokens) => {
    const before = ledgerAfterReport({ nextModelId: "other" });
    expect(after(before, reported(tokens))).toEqual({ ...before, nextModelId: "m" });
  });

  test.each([1, 1_000_000_000])("of %s tokens is one", (promptTokens) => {
    expect(after(ledgerAfterReport(), reported(promptTokens)).base).toMatchObject({ promptTokens });
  });

  test("of a rejected request has no reply", () => {
    expect(after(ledgerAfterReport(), reported(null, { usage: rejectedUsage(1200) }))).toMatchObject({
      base: { promptTokens: 1200 },
      reply: null,
    });
  });

  // The last one said 1,000. Since then 25 characters of system text, 2 × 25 = 50 tokens, so that 150 of 1,200 are the messages'.
  const few = { id: "few", content: content(20), fixedTokens: 0 };
  const came = (fit: Partial<ModelFit> = {}, more: Partial<MeasuredState> = {}) =>
    ledgerAfterReport({
      fits: { m: { ...fits.m, ...fit } },
      ...{
        unreported: contentSum(20, 1),
        came: [few],
        reply: replyReport(),
        turnReasoningTokens: 40,
        jump: { risenTokens: 7, roomTokens: 0 },
        ...more,
      },
    });

  test("tells what came since: the reply's 100, and 150 − 100 for the rest", () => {
    const next = after(came(), reported(1200));
    expect(sizeOf(next, "reply")).toMatchObject({ tokens: 100, reasoningTokens: 30, modelId: "m" });
    expect(sizeOf(next, "few")?.tokens).toBeCloseTo(50, 9);
    expect(next).toMatchObject({ turnReasoningTokens: 40 + 30, jump: { risenTokens: 7 } });
  });

  test("what vanished at the human message is added back: 70 − 100 + 40 + 30, and a turn begins", () => {
    const next = after(came({ turnLosses: { stays: 1, goes: 0 } }, { hasUnreportedHuman: true }), reported(1120));
    expect(sizeOf(next, "few")?.tokens).toBeCloseTo(40, 9);
    expect(next).toMatchObject({ turnReasoningTokens: 0 });
  });

  test("a jump is what neither the reply nor the rest explains: 4,000 − 100 − (2 × 20 + 10)", () => {
    expect(after(came(), reported(5050)).jump.risenTokens).toBeCloseTo(3850, 9);
  });

  test("teaches the price of text: 50 tokens for 20 characters are right, as 2 × 20 + 10 were expected", () => {
    const fit = after(came(), reported(1200)).fits.m;
    expect(fit?.regression.slopeRatio).toBeCloseTo(2, 12);
    expect(fit?.ruleLosses).toMatchObject({ output: 0, visible: 0.5, text: 0.5 });
  });

  test.each<[string, MeasuredState, UsageEntry]>([
    ["of another model", came(), reported(1200, { modelId: "other" })],
    [
      "after a cut",
      came(
        {},
        { base: { kind: "cut", by: "engine", measuredTokens: 0, measuredContent: NO_CONTENT, unmeasuredContent: NO_CONTENT } },
      ),
      reported(1200),
    ],
  ])("%s tells nothing of single messages", (_, before, entry) => {
    expect(after(before, entry)).toMatchObject({ measured: before.measured, turnReasoningTokens: 0 });
  });

  test("teaches how far predictions are off: 1,236 is 3 % more than 1,000 + 50 + 100 + 50", () => {
    expect(after(came(), reported(1236)).residuals.anchored).toBeCloseTo(0.03, 12);
  });
});

describe("the first report, which tells the overhead", () => {
  const old: FirstReport = {
    modelId: "m",
    promptTokens: 500,
    measuredTokens: 0,
    unmeasuredContent: contentSum(1, 1),
    overhead: overheadCounts(1),
    laterReports: 2,
  };
  // 2 × 245 + 10 = 500 tokens of messages
  const view = contentSum(245, 1);
  const fromView = (modelId: string): FirstReport => ({
    modelId,
    promptTokens: 1000,
    measuredTokens: 0,
    unmeasuredContent: view,
    overhead: overheadCounts(25),
    laterReports: 0,
  });
  const cut = {
    kind: "cut",
    by: "engine",
    measuredTokens: 33,
    measuredContent: contentSum(9, 2),
    unmeasuredContent: contentSum(4, 1),
  } as const;

  test.each<[string, Partial<MeasuredState>, string, FirstReport]>([
    ["the very first", { base: { kind: "nothing" } }, "m", fromView("m")],
    ["none, if one follows another", {}, "m", { ...old, laterReports: 3 }],
    ["that of a new model, of which half is messages", {}, "other", fromView("other")],
    ["none, if more is", { view: contentSum(246, 1) }, "other", { ...old, laterReports: 3 }],
    // what was measured stays so; 4 + 6 characters in 1 + 2 messages were not
    [
      "the one after a cut",
      { base: cut, unreported: contentSum(6, 2) },
      "m",
      { ...fromView("m"), measuredTokens: 33, unmeasuredContent: contentSum(10, 3) },
    ],
    [
      "the one after a cut, of a new model: all is weighed",
      { base: cut, unreported: contentSum(6, 2) },
      "other",
      fromView("other"),
    ],
  ])("is %s", (_, more, modelId, firstReport) => {
    expect(
      after(ledgerAfterReport({ fits, firstReport: old, view, ...more }), reported(1000, { modelId })).firstReport,
    ).toEqual(firstReport);
  });
});

describe("a view that was edited", () => {
  const size = (id: string, chars: number, more: Partial<MeasuredMessage> = {}): MeasuredMessage => ({
    ...{ id, content: content(chars), modelId: "m", tokens: 50, reasoningTokens: 8 },
    ...more,
  });
  const of = (
    measured: readonly MeasuredMessage[],
    fit: Partial<ModelFit> = {},
    more: Partial<MeasuredState> = {},
  ): MeasuredState => {
    const from = ledgerAfterReport({
      fits: { m: { ...fits.m, ...fit } },
      turnReasoningTokens: 9,
      hasUnreportedHuman: true,
      ...more,
    });
    return { ...from, measured: measured.reduce((list, each) => list.append(each), from.measured) };
  };
  const messages = [
    assistant("a", [{ type: "text", text: text(5) }]),
    human("h", text(6)),
    assistant("b", [{ type: "text", text: text(7) }]),
  ];

  test("adds up what was measured, and weighs the rest", () => {
    const next = withView(of([size("a", 5), size("b", 7, { tokens: 60 })]), { messages, by: "engine" }, reading);
    expect(next.base).toEqual({
      kind: "cut",
      by: "engine",
      measuredTokens: 110,
      measuredContent: contentSum(12, 2),
      unmeasuredContent: contentSum(6, 1),
    });
    expect(next).toMatchObject({ view: contentSum(18, 3), unreported: NO_CONTENT, hasUnreportedHuman: false, reply: null });
    expect(next).toMatchObject({ turnReasoningTokens: 0 });
  });

  test.each<[string, Partial<ModelFit>, number]>([
    [
      "goes if turns showed it: 50 − 8 before the last human message, 60 after it",
      { turnLosses: { stays: 0.2, goes: 0.1 } },
      102,
    ],
    ["stays if they showed that", { turnLosses: { stays: 0.1, goes: 0.2 } }, 110],
    ["stays if both were right", { turnLosses: { stays: 0, goes: 0 } }, 110],
  ])("reasoning of earlier turns %s", (_, fit, measuredTokens) => {
    const next = withView(
      of([size("a", 5), size("b", 7, { tokens: 60, reasoningTokens: 5 })], fit),
      { messages, by: "engine" },
      reading,
    );
    expect(next.base).toMatchObject({ measuredTokens });
  });

  test.each<[string, MeasuredMessage, Partial<MeasuredState>]>([
    ["has other content now", size("a", 4), {}],
    ["another model measured", size("a", 5, { modelId: "other" }), {}],
    ["the next model has not measured", size("a", 5), { nextModelId: "other" }],
  ])("what %s is weighed", (_, measured, more) => {
    expect(withView(of([measured], {}, more), { messages, by: "engine" }, reading).base).toMatchObject({
      measuredTokens: 0,
      unmeasuredContent: contentSum(18, 3),
    });
  });

  test("what was unreported keeps its weight, and the reply what came back of it", () => {
    const unreported = { unreported: contentSum(6, 1), came: [{ id: "h", content: content(6), fixedTokens: 0 }] };
    const reply = replyReport({ messageId: "b", content: content(7, { reasoning: "opaque" }) });
    // 2 × 6 + 10, and the reply's 100
    const from = ledgerAfterReport({ fits, ...unreported, reply });
    expect(withView(from, { messages, by: "engine" }, reading).base).toMatchObject({
      measuredTokens: 122,
      unmeasuredContent: contentSum(5, 1),
    });
  });

  test("what was unreported for another model is weighed by that one, and measured for none", () => {
    const unreported = { unreported: contentSum(6, 1), came: [{ id: "h", content: content(6), fixedTokens: 0 }] };
    const next = withView(
      ledgerAfterReport({ fits, ...unreported, nextModelId: "other" }),
      { messages, by: "engine" },
      reading,
    );
    expect(next.base).toMatchObject({ measuredTokens: 0, unmeasuredContent: contentSum(18, 3) });
    expect(next.measured.size).toBe(0);
  });

  test("the newest size of a message counts", () => {
    const measured = [size("a", 5), size("b", 7, { tokens: 60 }), size("a", 5, { tokens: 45 })];
    expect(withView(of(measured), { messages, by: "engine" }, reading).base).toMatchObject({ measuredTokens: 105 });
  });

  test("before any report there is nothing to build on", () => {
    expect(withView(ledgerAfterReport({ base: { kind: "nothing" } }), { messages, by: "engine" }, reading).base).toEqual({
      kind: "nothing",
    });
  });
});
