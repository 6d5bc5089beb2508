import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { NONE_POLICY, RECORDED_POLICY, SVEN_POLICY } from "@plimsoll/core";
import { expect, test } from "vitest";
import { quantileOf } from "./metrics/quantile.ts";
import { runBench } from "./run-bench.ts";

/** Recorded sessions of other agents, which are not part of the project: this test runs where the folder is there. */
const FOLDER = process.env.PLIMSOLL_TRANSCRIPTS ?? join(dirname(fileURLToPath(import.meta.url)), "../../../shared/transcripts");

test.skipIf(!existsSync(FOLDER))(
  "real sessions of three agents replay without an invalid request, with a size model within one percent",
  async () => {
    const files = ["pi-session", "claude-code", "codex-rollout"].flatMap((format) =>
      readdirSync(join(FOLDER, format)).map((name) => ({ path: join(FOLDER, format, name), displayName: `${format}/${name}` })),
    );
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
    const acting = report.rows.filter((row) => row.policy === "sven" && (row.metrics?.economy.compactions ?? 0) > 0);
    expect(acting.length).toBeGreaterThanOrEqual(10);
  },
  120_000,
);
