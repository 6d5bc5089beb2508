import { describe, expect, test } from "vitest";
import { usageEntry } from "../../testing/builders.ts";
import { account, beside, counts, HAND_PRIOR, knownModel, load, replyReport } from "../../testing/ledger-values.ts";
import { usageOf } from "../../usage.ts";
import { EMPTY_LEDGER } from "../ledger.ts";
import type { Account } from "./account.ts";
import { measuredBy } from "./measured.ts";

const priors = () => HAND_PRIOR;
const fits = { m: knownModel(2).fit };
const after = (promptTokens: number | null, more: Partial<Account> = {}, modelId = "m") =>
  measuredBy(
    { ...EMPTY_LEDGER, account: account({ fits, pending: load(30, 3), reply: replyReport(), ...more }) },
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

  test.each<[string, number | null, Partial<Account>, string]>([
    ["a report without a size", null, {}, "m"],
    ["no rise", 1100, {}, "m"],
    ["a fall", 900, {}, "m"],
    ["the first report", 1250, { base: { kind: "nothing" } }, "m"],
    ["one of another model", 1250, {}, "other"],
    ["one at a human message", 1250, { pendingHuman: true }, "m"],
    ["one with an image", 1250, { pending: load(30, 3, 1) }, "m"],
    ["one with nothing new", 1250, { pending: load(0, 0) }, "m"],
  ])("%s measures no text", (_, promptTokens, more, modelId) => {
    expect(after(promptTokens, more, modelId)).toBeNull();
  });

  test("nor does one before there is anything", () => {
    expect(measuredBy(EMPTY_LEDGER, usageEntry("first", null, 500), priors)).toBeNull();
    expect(after(1250, { base: { kind: "report", promptTokens: 1000, beside: beside(0) } })).not.toBeNull();
  });
});
