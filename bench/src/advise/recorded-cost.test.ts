import type { ModelPrices } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import type { CompactionDetail } from "../metrics/row-metrics.ts";
import { recordedUsdText } from "../show/validity.ts";
import { recordedCost } from "./recorded-cost.ts";

const PRICES: ModelPrices = {
  tiers: [
    {
      abovePromptTokens: 0,
      inputUsdPerMillion: 1,
      outputUsdPerMillion: 10,
      cacheReadUsdPerMillion: 0.1,
      cacheWriteUsdPerMillion: 1.25,
      cacheWriteOneHourUsdPerMillion: 2,
    },
  ],
};
const RULES = { minimumTokens: 0, stepTokens: 1, timeToLiveMs: 300_000 };

const COMPACTION: CompactionDetail = {
  ...{ call: 2, reason: "recorded", steps: [], tokensBefore: null, tokensAfter: null, messagesBefore: 9, messagesAfter: 2 },
  ...{ summarisedMessages: 8, shortenedParts: 0, summary: null, neededLater: 3, examples: [] },
};

/** One session of three calls, compacted before the last, and one that was not. */
function report() {
  const { rows, sessions } = exampleReport({ sessions: ["a", "b"], calls: 3 });
  const sizes = [10_000, 100_000, 20_000];
  return {
    sessions,
    rows: rows.map((row) => ({
      ...row,
      series: sizes.map((promptTokens, call) => ({ call, promptTokens, compactions: 0, overflowed: false })),
      compactions: row.session === "a" ? [COMPACTION] : [],
    })),
  };
}

const pricing = (request: "serialised" | "prefix", prices: ModelPrices | null = PRICES) => {
  return { pricesOf: () => prices, cacheRulesOf: () => RULES, request };
};

test.each([
  // 100,000 tokens asked about, 2,000 written, 20,000 written to the cache instead of read from it.
  ["sends the history as a new text", "serialised", 0.1 + 0.02 + 0.023],
  ["is asked for behind the cached conversation", "prefix", 0.01 + 0.02 + 0.023],
] as const)("a summary that %s costs its request, its reply and the new beginning of the cache", (_, request, usd) => {
  const cost = recordedCost(report(), pricing(request));
  expect(cost.usdText).toBe(recordedUsdText(report().sessions));
  expect(cost.compactionUsd).toBeCloseTo(usd, 9);
  expect(cost).toMatchObject({ compactions: 1, pricedCompactions: 1, compactedSessions: 1, neededLater: 3, sessions: 2 });
  expect(recordedCost(report(), pricing(request, null))).toMatchObject({ compactionUsd: null, pricedCompactions: 0 });
});

test("a compaction costs the prices of its day", () => {
  const { rows, sessions } = report();
  const pricesOf = (_: string, atMs: number | null) => (atMs === 7 ? PRICES : null);
  const dated = { rows, sessions: sessions.map((each) => ({ ...each, startedMs: 7 })) };
  expect(recordedCost(dated, { ...pricing("prefix"), pricesOf }).compactionUsd).toBeGreaterThan(0);
});

test("without prices there are no dollars of compactions", () => {
  expect(recordedCost(report(), pricing("serialised", null))).toMatchObject({ compactionUsd: null });
});
