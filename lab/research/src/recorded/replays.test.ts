import { runBench } from "@plimsoll/bench";
import { NONE_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { RECORDED_POLICY } from "@plimsoll/core/extend";
import { createSpending, MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { recordedFiles, recordedTranscripts } from "./recorded-sessions.ts";

/** The bar that every recording is held against, in percent. */
const LISTED_ERROR_PERCENT = 5;

const files = recordedFiles(["pi-session", "claude-code", "codex-rollout"]);

const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

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
    const errors = report.sessions.map((session) => session.sizeJudge.mapePercent ?? 0);
    expect(medianOf(errors)).toBeLessThan(1);
    const readErrors = recorded.flatMap((row) => Math.abs(row.metrics?.cacheValidity?.errorPercent ?? 0));
    expect(medianOf(readErrors)).toBeLessThan(3);
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
  const priced = (await recordedTranscripts(recordedFiles(["pi-session"]))).map(({ entries }) => {
    const spending = createSpending(MODEL_CATALOG.pricesOf);
    for (const entry of entries) spending.add(entry);
    return spending.now();
  });
  expect(priced.length).toBeGreaterThan(0);
  for (const { statedUsd, usd } of priced) expect(usd).toBeCloseTo(statedUsd ?? 0, 6);
});
