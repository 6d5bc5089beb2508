import { describe, expect, test } from "vitest";
import { textOf } from "../../message/message.ts";
import { assistant, human } from "../../testing/builders.ts";
import { account, content, HAND_PRIOR, knownModel, load, replyReport } from "../../testing/ledger-values.ts";
import type { Account, MeasuredMessage } from "./account.ts";
import type { Reading } from "./fold-account.ts";
import { withView } from "./fold-account.ts";
import { NO_LOAD } from "./load.ts";
import type { ModelFit } from "./model-fit.ts";

/** Each character weighs 1: 2 tokens by the prior. */
const reading: Reading = { contentOf: (message) => content(textOf(message).length), priors: () => HAND_PRIOR };
const fits = { m: knownModel(2).fit };
const text = (chars: number) => "x".repeat(chars);

describe("a view that was edited", () => {
  const size = (id: string, chars: number, more: Partial<MeasuredMessage> = {}): MeasuredMessage => ({
    ...{ id, content: content(chars), modelId: "m", tokens: 50, reasoningTokens: 8 },
    ...more,
  });
  const of = (measured: readonly MeasuredMessage[], fit: Partial<ModelFit> = {}, more: Partial<Account> = {}): Account => {
    const from = account({
      fits: { m: { ...fits.m, ...fit } },
      turnReasoningTokens: 9,
      turnSurgeTokens: 9,
      pendingHuman: true,
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
    const next = withView(of([size("a", 5), size("b", 7, { tokens: 60 })]), messages, reading);
    expect(next.base).toEqual({ kind: "cut", measuredTokens: 110, measuredLoad: load(12, 2), load: load(6, 1) });
    expect(next).toMatchObject({ view: load(18, 3), pending: NO_LOAD, pendingHuman: false, reply: null });
    expect(next).toMatchObject({ turnReasoningTokens: 0, turnSurgeTokens: 0 });
  });

  test.each<[string, Partial<ModelFit>, number]>([
    [
      "goes where turns showed it: 50 − 8 before the last human message, 60 after it",
      { turnLosses: { stays: 0.2, goes: 0.1 } },
      102,
    ],
    ["stays where they showed that", { turnLosses: { stays: 0.1, goes: 0.2 } }, 110],
    ["stays where both were right", { turnLosses: { stays: 0, goes: 0 } }, 110],
  ])("reasoning of earlier turns %s", (_, fit, measuredTokens) => {
    const next = withView(of([size("a", 5), size("b", 7, { tokens: 60, reasoningTokens: 5 })], fit), messages, reading);
    expect(next.base).toMatchObject({ measuredTokens });
  });

  test.each<[string, MeasuredMessage, Partial<Account>]>([
    ["has other content now", size("a", 4), {}],
    ["another model measured", size("a", 5, { modelId: "other" }), {}],
    ["the next model has not measured", size("a", 5), { nextModelId: "other" }],
  ])("what %s is weighed", (_, measured, more) => {
    expect(withView(of([measured], {}, more), messages, reading).base).toMatchObject({ measuredTokens: 0, load: load(18, 3) });
  });

  test("what was pending keeps its weight, and the reply what came back of it", () => {
    const pending = { pending: load(6, 1), came: [{ id: "h", content: content(6), fixedTokens: 0 }] };
    const reply = replyReport({ messageId: "b", content: content(7, { reasoning: "opaque" }) });
    // 2 × 6 + 10, and the reply's 100
    const from = account({ fits, ...pending, reply });
    expect(withView(from, messages, reading).base).toMatchObject({ measuredTokens: 122, load: load(5, 1) });
  });

  test("what was pending for another model is weighed by that one, and measured for none", () => {
    const pending = { pending: load(6, 1), came: [{ id: "h", content: content(6), fixedTokens: 0 }] };
    const next = withView(account({ fits, ...pending, nextModelId: "other" }), messages, reading);
    expect(next.base).toMatchObject({ measuredTokens: 0, load: load(18, 3) });
    expect(next.measured.size).toBe(0);
  });

  test("before any report there is nothing to build on", () => {
    expect(withView(account({ base: { kind: "nothing" } }), messages, reading).base).toEqual({ kind: "nothing" });
  });
});
