import type { Transcript } from "@plimsoll/bench";
import { runBench } from "@plimsoll/bench";
import { LISTED_ERROR_PERCENT, quantileOf } from "@plimsoll/bench/internal";
import { NONE_POLICY, SVEN_POLICY, type UsageEntry } from "@plimsoll/core";
import { isRecord, type ModelPrices, outputUsd, promptUsd, RECORDED_POLICY } from "@plimsoll/core/internal";
import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { recordedFiles, recordedTranscripts } from "./recorded-sessions.ts";

const files = recordedFiles(["pi-session", "claude-code", "codex-rollout"]);

test.skipIf(files.length === 0)(
  "real sessions of three agents replay without an invalid request, with a size model within one percent",
  async () => {
    const windows = [{ kind: "working-room", tokens: 64_000 }] as const;
    const policies = [RECORDED_POLICY, NONE_POLICY, SVEN_POLICY];
    const report = await runBench({ files, policies, windows, plimsollVersion: "0.0.0" });
    expect(report.skipped).toEqual([]);
    expect(report.rows.filter((row) => row.metrics === null || row.metrics.safety.invalidRequests > 0)).toEqual([]);
    const recorded = report.rows.filter((row) => row.policy === "recorded");
    expect(recorded.map((row) => row.metrics?.economy.promptTokens)).toEqual(
      report.sessions.map((session) => session.sumReportedPromptTokens),
    );
    const errors = report.sessions.map((session) => session.sizeModel.mapePercent ?? 0);
    expect(quantileOf(errors, 0.5)).toBeLessThan(1);
    const readErrors = recorded.flatMap((row) => Math.abs(row.metrics?.cacheValidity?.errorPercent ?? 0));
    expect(quantileOf(readErrors, 0.5)).toBeLessThan(3);
    const unexplained = recorded.filter(
      (row) => Math.abs(row.metrics?.cacheValidity?.errorPercent ?? 0) > LISTED_ERROR_PERCENT,
    );
    expect(unexplained.every((row) => row.metrics?.cacheValidity?.cause !== null)).toBe(true);
    const acting = report.rows.filter((row) => row.policy === "sven" && (row.metrics?.economy.compactions ?? 0) > 0);
    expect(acting.length).toBeGreaterThanOrEqual(10);
  },
  600_000,
);

test.skipIf(files.length === 0)("prices give the dollars that a log states, from the log's own cache counts", async () => {
  const priced = (await recordedTranscripts(recordedFiles(["pi-session"]))).map(dollarsOf);
  expect(priced.length).toBeGreaterThan(0);
  for (const { statedUsd, computedUsd } of priced) expect(computedUsd).toBeCloseTo(statedUsd, 6);
});

function dollarsOf({ entries }: Transcript): { readonly statedUsd: number; readonly computedUsd: number } {
  const calls = entries.filter((entry) => entry.type === "usage");
  const sum = (usdOf: (call: UsageEntry) => number) => calls.reduce((total, call) => total + usdOf(call), 0);
  return { statedUsd: sum(statedUsd), computedUsd: sum(computedUsd) };
}

function computedUsd({ modelId, usage }: UsageEntry): number {
  const prices = MODEL_CATALOG.pricesOf(modelId) ?? NO_PRICES;
  const { totalTokens, cacheReadTokens, cacheWriteTokens, uncachedTokens } = usage.input;
  const counts = { readTokens: cacheReadTokens ?? 0, writeTokens: cacheWriteTokens ?? 0, uncachedTokens: uncachedTokens ?? 0 };
  const forPrompt = promptUsd({ ...counts, state: "warm" }, prices, MODEL_CATALOG.cacheRulesOf(modelId));
  return forPrompt + outputUsd(usage.output.totalTokens ?? 0, totalTokens ?? 0, prices);
}

function statedUsd({ usage }: UsageEntry): number {
  const cost = isRecord(usage.raw) && isRecord(usage.raw.cost) ? usage.raw.cost.total : null;
  return typeof cost === "number" ? cost : 0;
}

const NO_PRICES: ModelPrices = {
  tiers: [
    {
      abovePromptTokens: 0,
      inputUsdPerMillion: 0,
      outputUsdPerMillion: 0,
      cacheReadUsdPerMillion: 0,
      cacheWriteUsdPerMillion: 0,
      cacheWriteOneHourUsdPerMillion: 0,
    },
  ],
};
