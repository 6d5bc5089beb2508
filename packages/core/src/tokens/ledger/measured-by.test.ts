import { describe, expect, test } from "vitest";
import {
  contentSum,
  counts,
  HAND_PRIOR,
  knownModel,
  ledgerAfterReport,
  overheadCounts,
  replyReport,
} from "../../../testing/ledger-values.ts";
import { usageEntry } from "../../testing/builders.ts";
import { usageOf } from "../../usage.ts";
import { EMPTY_LEDGER } from "../estimator.ts";
import { measuredBy } from "./ledger-estimator.ts";
import type { MeasuredState } from "./model-fit.ts";

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
