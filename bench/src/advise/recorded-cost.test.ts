import type { ModelPrices } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import type { CompactionDetail } from "../metrics/row-metrics.ts";
import { recordedUsdText } from "../show/validity.ts";
import { compactionSpend, recordedCost } from "./recorded-cost.ts";

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
  ...{ summarisedMessages: 8, shortenedParts: 0, summary: null, mentionedLater: 5, neededLater: 3, examples: [] },
};

test.each([
  // 100,000 tokens asked about, 2,000 written, 20,000 written to the cache instead of read from it.
  ["sends the history as a new text", false, null, 0.1 + 0.02, 0.023],
  ["is asked for behind the cached conversation", true, 0, 0.01 + 0.02, 0.023],
  ["nobody asked for, as results were only cleared,", null, 0, 0, 0.023],
  ["leaves half of the next prompt in the cache", false, 10_000, 0.1 + 0.02, 0.0115],
] as const)("a summary that %s costs its request and reply, and loses cache", (_, isCached, cacheReadTokens, summary, lost) => {
  const next = { totalTokens: 20_000, cacheReadTokens };
  const { summaryUsd, lostCacheUsd } = compactionSpend(100_000, next, { prices: PRICES, rules: RULES, isCached });
  expect([summaryUsd, lostCacheUsd]).toEqual([expect.closeTo(summary, 9), expect.closeTo(lost, 9)]);
});

test.each([
  ["come from the logs' own figures, beside a least sum", 1, 0.5, "anew"],
  ["are unknown without a price", 0, null, "logged"],
] as const)("dollars of compactions %s", (_, pricedCompactions, compactionUsd, summaries) => {
  const { rows, sessions } = exampleReport({ sessions: ["a", "b"], calls: 3 });
  const report = { sessions, rows: rows.map((row) => ({ ...row, compactions: row.session === "a" ? [COMPACTION] : [] })) };
  const counted = ["a", "other"].map((session) => ({
    facts: { session },
    ...{ summaries, summariesUsd: 0.4, lostCacheUsd: 0.1, pricedCompactions },
  }));
  const cost = recordedCost(report, counted);
  expect(cost.usdText).toBe(`${summaries === "anew" ? "at least " : ""}${recordedUsdText(sessions)}`);
  expect(cost).toMatchObject({ compactions: 1, compactedSessions: 1, neededLater: 3, sessions: 2 });
  expect(cost).toMatchObject({ compactionUsd, pricedCompactions });
});
