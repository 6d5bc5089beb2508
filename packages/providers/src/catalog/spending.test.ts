import { type SessionEntry, UNREPORTED_USAGE, type Usage, usageOf } from "@plimsoll/core";
import { type JsonValue, rejectedUsage } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { anthropicUsage } from "../anthropic/decode.ts";
import type { ModelPrices } from "../economics.ts";
import { createSpending, MODEL_CATALOG } from "./model-prices.ts";

const priced = (usd: number): ModelPrices => ({
  tiers: [
    {
      abovePromptTokens: 0,
      inputUsdPerMillion: usd,
      outputUsdPerMillion: usd,
      cacheReadUsdPerMillion: usd,
      cacheWriteUsdPerMillion: usd,
      cacheWriteOneHourUsdPerMillion: usd,
    },
  ],
});
const call = (requestId: string, modelId: string, usage: Usage): SessionEntry => ({
  ...{ type: "usage", requestId, modelId, usage, throughMessageId: null, overheadHash: null, viewHash: null, atMs: null },
});
const million = usageOf({ totalInputTokens: 1_000_000, outputTokens: 0 });
const tier = (abovePromptTokens: number, usd: number) => ({
  ...{ abovePromptTokens, inputUsdPerMillion: usd, outputUsdPerMillion: 5 * usd, cacheReadUsdPerMillion: usd / 10 },
  ...{ cacheWriteUsdPerMillion: 1.25 * usd, cacheWriteOneHourUsdPerMillion: 2 * usd },
});
const PRICES = new Map<string, ModelPrices>([
  ["dear", priced(10)],
  ["cheap", priced(1)],
  ["tiered", { tiers: [tier(0, 1), tier(200_000, 2)] }],
]);
const pricesOf = (modelId: string) => PRICES.get(modelId) ?? null;

test.each<[string, readonly SessionEntry[], number | null, string]>([
  ["nothing yet", [], null, "whole"],
  ["each request at its model's prices", [call("a", "dear", million), call("b", "cheap", million)], 11, "whole"],
  ["a rejected request costs nothing", [call("a", "cheap", million), call("b", "cheap", rejectedUsage(9e9))], 1, "whole"],
  ["one that reported nothing is missing", [call("a", "cheap", million), call("b", "cheap", UNREPORTED_USAGE)], 1, "a-part"],
  ["a model without prices is missing", [call("a", "cheap", million), call("b", "other", million)], 1, "a-part"],
  ["no price at all", [call("a", "other", million)], null, "a-part"],
  [
    "writes for an hour at their own price (5 minutes 1.25 x, an hour 2 x)",
    [call("a", "tiered", usageOf({ uncachedTokens: 0, cacheWriteTokens: 100_000, cacheWriteOneHourTokens: 60_000 }))],
    0.04 * 1.25 + 0.06 * 2,
    "whole",
  ],
  [
    "a vendor that names the hour's writes alone",
    [call("a", "tiered", usageOf({ uncachedTokens: 0, cacheWriteOneHourTokens: 100_000 }))],
    0.2,
    "whole",
  ],
  [
    "the tier of a long prompt, reply included",
    [call("a", "tiered", usageOf({ totalInputTokens: 300_000, cacheReadTokens: 200_000, outputTokens: 100_000 }))],
    0.1 * 2 + 0.2 * 0.2 + 0.1 * 10,
    "whole",
  ],
  [
    "half of all of it in a batch",
    [call("a", "tiered", usageOf({ totalInputTokens: 100_000, outputTokens: 100_000, raw: { service_tier: "batch" } }))],
    0.05 + 0.25,
    "whole",
  ],
  [
    "each sampling of a request in its own tier",
    [
      call(
        "a",
        "tiered",
        anthropicUsage({
          ...{ input_tokens: 200_000, output_tokens: 0 },
          iterations: [
            { type: "compaction", input_tokens: 150_000, output_tokens: 0 },
            { type: "message", input_tokens: 50_000, cache_creation_input_tokens: 20_000, output_tokens: 10_000 },
          ],
        }),
      ),
    ],
    0.15 + 0.05 + 0.02 * 1.25 + 0.05,
    "whole",
  ],
  [
    "what tools of the server brought in",
    [call("a", "tiered", usageOf({ totalInputTokens: 100_000, billed: { inputTokens: 150_000, outputTokens: 0 } }))],
    0.15,
    "whole",
  ],
])("%s", (_rule, entries, usd, usdIs) => {
  const spending = createSpending(pricesOf);
  for (const entry of entries) spending.add(entry);
  expect(spending.now()).toMatchObject({ usd: usd === null ? null : expect.closeTo(usd, 9), usdIs });
});

test("a call has the price of its day; one without a time that of the day that the tables are of", () => {
  const usdAt = (atMs: number | null) => {
    const spending = createSpending(MODEL_CATALOG.pricesOf);
    spending.add({ ...call("a", "o3", million), type: "usage", atMs } as SessionEntry);
    return spending.now().usd;
  };
  expect([usdAt(Date.UTC(2025, 4, 1)), usdAt(Date.UTC(2025, 6, 1)), usdAt(null)]).toEqual([10, 2, 2]);
});

test.each<[string, JsonValue, number | null]>([
  ["as a number", { cost: 0.5 }, 0.5],
  ["as the total of an object", { cost: { input: 0.1, total: 0.4 } }, 0.4],
  ["beside a message of Claude Code", { costUSD: 0.3 }, 0.3],
  ["as zero, on a subscription", { cost: 0 }, null],
])("what a report states by itself is told, %s", (_form, raw, usd) => {
  const spending = createSpending(pricesOf);
  spending.add(call("a", "cheap", usageOf({ totalInputTokens: 5, raw })));
  expect(spending.now().statedUsd).toBe(usd);
});

test("of a log that grows, the newest answered request is told", () => {
  const spending = createSpending(pricesOf);
  const small = usageOf({ totalInputTokens: 5, outputTokens: 0 });
  spending.add(call("a", "cheap", million));
  expect(spending.now().usd).toBe(1);
  const more = [call("b", "cheap", small), call("c", "cheap", rejectedUsage(7)), call("d", "cheap", UNREPORTED_USAGE)];
  for (const entry of more) spending.add(entry);
  expect(spending.now().usage).toBe(small);
});

test.each<[string, string | null, number]>([
  ["the model that is said to write summaries", "dear", 11],
  ["the session's own model", null, 2],
])("a summary that was never used costs what it took, at the prices of %s", (_writer, summaryModelId, usd) => {
  const spending = createSpending(pricesOf, summaryModelId);
  spending.add(call("a", "cheap", million));
  spending.addUnused(million);
  expect(spending.now()).toMatchObject({ usage: million, usd, usdIs: "whole" });
});
