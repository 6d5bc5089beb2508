import { describe, expect, test } from "vitest";
import type { UsageEntry } from "../../entry.ts";
import type { Message } from "../../message/message.ts";
import { textOf } from "../../message/message.ts";
import { assistant, human, result, usageEntry } from "../../testing/builders.ts";
import { account, beside, content, HAND_PRIOR, knownModel, load, replyReport } from "../../testing/ledger-values.ts";
import { rejectedUsage, usageOf } from "../../usage.ts";
import type { ModelPriors } from "../model-prior.ts";
import type { Account, Epoch } from "./account.ts";
import type { Reading } from "./fold-account.ts";
import { modelOf, withMessage, withReport } from "./fold-account.ts";
import { NO_LOAD } from "./load.ts";
import type { ModelFit } from "./model-fit.ts";
import { sizesById } from "./settle.ts";

const priors: ModelPriors = () => HAND_PRIOR;
/** Each character weighs 1: 2 tokens by the prior. */
const reading: Reading = { contentOf: (message) => content(textOf(message).length), priors };
const fits = { m: knownModel(2).fit };
const text = (chars: number) => "x".repeat(chars);

describe("the model by what was learned of it", () => {
  test("what it reported is its own", () => {
    const model = modelOf(account({ fits, view: load(30, 3) }), "m", priors);
    expect(model).toMatchObject({ fit: fits.m, switchRatio: 1 });
    expect(model.reported.fit).toBe(model.fit);
  });

  test.each<[string, Partial<Account>, number]>([
    // 4 × 30 + 10 × 3 = 150 by the next model, 2 × 30 + 10 × 3 = 90 by the one that reported
    ["as its price of the view is to the other's: 150 / 90", { view: load(30, 3) }, 150 / 90],
    ["not at all, where the view is empty", {}, 1],
  ])("another model's reports count %s", (_, more, switchRatio) => {
    const both = { ...fits, other: knownModel(4).fit };
    expect(modelOf(account({ fits: both, ...more }), "other", priors).switchRatio).toBeCloseTo(switchRatio, 12);
  });

  // The session's texts cost the reporting model so many tokens where its prior says 2; the next one's prior says 3.
  test.each([
    ["as much above its prior: 3 × 2.2 / 2", 2.2, 3.3],
    ["at most a quarter more", 2.8, 3.75],
    ["at least a fifth less", 1, 2.4],
  ])("a new model pays for the session's texts %s", (_, learned, slopeRatio) => {
    const dearer: ModelPriors = (id) => (id === "new" ? { ...HAND_PRIOR, slopeRatio: 3 } : HAND_PRIOR);
    const { fit } = modelOf(account({ fits: { m: knownModel(learned).fit } }), "new", dearer);
    expect(fit.regression.slopeRatio).toBeCloseTo(slopeRatio, 12);
  });

  test("a new model of the same prior goes on with what was learned, and doubts it", () => {
    const { regression } = modelOf(account({ fits: { m: knownModel(2.7).fit } }), "new", priors).fit;
    expect(regression).toMatchObject({ slopeRatio: 2.7, covariance: [expect.closeTo(0.0289, 12), 0, 64] });
  });

  test.each([["m"], [null]])("before any report %j is its prior", (modelId) => {
    expect(modelOf(account({ reportedModelId: null }), modelId, priors).fit.regression.slopeRatio).toBe(2);
  });
});

describe("a message", () => {
  const said = (requestId: string | null) => ({ ...assistant("a", [{ type: "text", text: text(20) }]), requestId });
  const waits = replyReport({ messageId: null, content: null });

  test("that no report covers yet is weighed", () => {
    const before = account({ fits, view: load(30, 3), pending: load(5, 1) });
    const after = withMessage(before, human("h", text(20)), reading);
    expect(after).toMatchObject({ view: load(50, 4), pending: load(25, 2), pendingHuman: true });
    expect(after.pendingMessages.slice()).toEqual([{ id: "h", content: content(20), fixedTokens: 0 }]);
    expect(withMessage(after, result("r", "c", ""), reading).pendingHuman).toBe(true);
    expect(withMessage(before, result("r", "c", ""), reading).pendingHuman).toBe(false);
  });

  test.each<[string, string | null, Partial<Account>]>([
    ["of the reported request", "request", { pending: load(5, 1) }],
    ["without a request, first after the report", null, {}],
  ])("%s is its reply", (_, requestId, more) => {
    const before = account({ fits, view: load(30, 3), reply: waits, ...more });
    const after = withMessage(before, said(requestId), reading);
    expect(after).toMatchObject({ view: load(50, 4), pending: before.pending });
    expect(after.reply).toEqual({ ...waits, messageId: "a", content: content(20) });
  });

  const other = [{ id: "x", content: content(5), fixedTokens: 0 }];
  test.each<[string, Message, Partial<Account> & { readonly came?: typeof other }]>([
    ["of another request", said("other"), { reply: waits }],
    ["without a request, after other messages", said(null), { reply: waits, came: other }],
    ["after the reply was there", said("request"), { reply: replyReport() }],
    ["without a report", said("request"), { reply: null }],
    ["of a tool", result("r", "c", text(20)), { reply: waits }],
  ])("%s is no reply", (_, message, more) => {
    const after = withMessage(account(more), message, reading);
    expect(after).toMatchObject({ pending: load(20, 1), reply: more.reply });
  });
});

const reported = (totalInputTokens: number | null, more: Partial<UsageEntry> = {}): UsageEntry => ({
  ...usageEntry("next", null, 0),
  modelId: "m",
  usage: usageOf({ totalInputTokens, outputTokens: 80, reasoningTokens: 20 }),
  ...more,
});
const after = (from: Account, entry: UsageEntry, besides = beside(25)) => withReport(from, entry, { priors, beside: besides });

describe("a report", () => {
  test("is what the next prompt is built on", () => {
    const next = after(account({ fits, pending: load(5, 1), pendingHuman: true }), reported(1200));
    expect(next).toMatchObject({
      base: { kind: "report", promptTokens: 1200, beside: beside(25) },
      reply: { requestId: "next", messageId: null, outputTokens: 80, reasoningTokens: 20, content: null },
      pending: NO_LOAD,
      pendingHuman: false,
    });
  });

  test("of a model without one before teaches nothing yet: its prior holds", () => {
    const next = after(account({ reportedModelId: null, base: { kind: "nothing" } }), reported(1200));
    expect(next.fits.m?.regression.slopeRatio).toBe(2);
  });

  test.each([null, 0, -1, 1_000_000_001])("of %s tokens only names the model", (tokens) => {
    const before = account({ nextModelId: "other" });
    expect(after(before, reported(tokens))).toEqual({ ...before, nextModelId: "m" });
  });

  test.each([1, 1_000_000_000])("of %s tokens is one", (promptTokens) => {
    expect(after(account(), reported(promptTokens)).base).toMatchObject({ promptTokens });
  });

  test("of a rejected request has no reply", () => {
    expect(after(account(), reported(null, { usage: rejectedUsage(1200) }))).toMatchObject({
      base: { promptTokens: 1200 },
      reply: null,
    });
  });

  // The last one said 1,000. Since then 25 characters of system text, 2 × 25 = 50 tokens, so that 150 of 1,200 are the messages'.
  const few = { id: "few", content: content(20), fixedTokens: 0 };
  const came = (fit: Partial<ModelFit> = {}, more: Partial<Account> = {}) =>
    account({
      fits: { m: { ...fits.m, ...fit } },
      ...{ pending: load(20, 1), came: [few], reply: replyReport(), turnReasoningTokens: 40, turnSurgeTokens: 7, ...more },
    });

  test("tells what came since: the reply's 100, and 150 − 100 for the rest", () => {
    const next = after(came(), reported(1200));
    const sizes = sizesById(next.measured);
    expect(sizes.get("reply")).toMatchObject({ tokens: 100, reasoningTokens: 30, modelId: "m" });
    expect(sizes.get("few")?.tokens).toBeCloseTo(50, 9);
    expect(next).toMatchObject({ turnReasoningTokens: 40 + 30, turnSurgeTokens: 7 });
  });

  test("what vanished at the human message is added back: 70 − 100 + 40 + 30, and a turn begins", () => {
    const next = after(came({ turnLosses: { stays: 1, goes: 0 } }, { pendingHuman: true, turnSurgeTokens: 0 }), reported(1120));
    expect(sizesById(next.measured).get("few")?.tokens).toBeCloseTo(40, 9);
    expect(next).toMatchObject({ turnReasoningTokens: 0, turnSurgeTokens: 0 });
  });

  test("a surge is what neither the reply nor the rest explains: 4,000 − 100 − (2 × 20 + 10)", () => {
    expect(after(came(), reported(5050)).turnSurgeTokens).toBeCloseTo(7 + 3850, 9);
  });

  test("teaches the price of text: 50 tokens for 20 characters where 2 × 20 + 10 were expected is right", () => {
    const fit = after(came(), reported(1200)).fits.m;
    expect(fit?.regression.slopeRatio).toBeCloseTo(2, 12);
    expect(fit?.ruleLosses).toMatchObject({ output: 0, visible: 0.5, text: 0.5 });
  });

  test.each<[string, Account, UsageEntry]>([
    ["of another model", came(), reported(1200, { modelId: "other" })],
    [
      "after a cut",
      came({}, { base: { kind: "cut", measuredTokens: 0, measuredLoad: NO_LOAD, load: NO_LOAD } }),
      reported(1200),
    ],
  ])("%s tells nothing of single messages", (_, before, entry) => {
    expect(after(before, entry)).toMatchObject({ measured: before.measured, turnReasoningTokens: 0, turnSurgeTokens: 0 });
  });

  test("teaches how far predictions are off: 1,236 where 1,000 + 50 + 100 + 50 were expected is 3 % more", () => {
    expect(after(came(), reported(1236)).residuals.anchored).toBeCloseTo(0.03, 12);
  });
});

describe("the first report of an epoch", () => {
  const old: Epoch = { modelId: "m", promptTokens: 500, measuredTokens: 0, load: load(1, 1), beside: beside(1) };
  // 2 × 245 + 10 = 500 tokens of messages
  const view = load(245, 1);
  const fromView = (modelId: string): Epoch => ({
    modelId,
    promptTokens: 1000,
    measuredTokens: 0,
    load: view,
    beside: beside(25),
  });
  const cut = { kind: "cut", measuredTokens: 33, measuredLoad: load(9, 2), load: load(4, 1) } as const;

  test.each<[string, Partial<Account>, string, Epoch]>([
    ["the very first", { base: { kind: "nothing" } }, "m", fromView("m")],
    ["none, where one follows another", {}, "m", old],
    ["that of a new model, of which half is messages", {}, "other", fromView("other")],
    ["none, where more is", { view: load(246, 1) }, "other", old],
    // what was measured stays so; 4 + 6 characters in 1 + 2 messages were not
    [
      "the one after a cut",
      { base: cut, pending: load(6, 2) },
      "m",
      { ...fromView("m"), measuredTokens: 33, load: load(10, 3) },
    ],
    ["the one after a cut, of a new model: all is weighed", { base: cut, pending: load(6, 2) }, "other", fromView("other")],
  ])("is %s", (_, more, modelId, epoch) => {
    expect(after(account({ fits, epoch: old, view, ...more }), reported(1000, { modelId })).epoch).toEqual(epoch);
  });
});
