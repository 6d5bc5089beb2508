import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { sizeValidity, validityLines } from "./validity.ts";

const report = exampleReport({ sessions: ["a.jsonl", "b.jsonl", "c.jsonl"] });
const withErrors = (errors: readonly number[]) => ({
  ...report,
  sessions: report.sessions.map((session, index) => ({
    ...session,
    sizeModel: { ...session.sizeModel, mapePercent: errors[index] ?? 0 },
  })),
});

test("says the median, the worst, and which sessions are beyond five percent", () => {
  const { medianMapePercent, worst, listed } = sizeValidity(withErrors([0.4, 7, 0.2]));
  expect(medianMapePercent).toBe(0.4);
  expect(worst?.session).toBe("b.jsonl");
  expect(listed.map(({ session }) => session)).toEqual(["b.jsonl"]);
});

test("says when the recorded agent compacted and when a policy of its name would have", () => {
  const format = "sven";
  const real = {
    ...report,
    sessions: report.sessions.slice(0, 1).map((session) => ({ ...session, format })),
    rows: report.rows.map((row) => ({
      ...row,
      window: { kind: "real", tokens: 64_000, reason: "stated by the recording" } as const,
    })),
  };
  expect(validityLines(real).join("\n")).toMatch(
    /a\.jsonl: the recorded agent compacted before calls none; the policy sven before \d+, \d+/,
  );
  expect(validityLines(report).join("\n")).not.toContain("the recorded agent compacted");
});

test("lists each recording of which something is off by more than five percent, with its cause", () => {
  const cacheValidity = (computedReadTokens: number, computedWriteTokens: number, cause: string | null) => ({
    reportedReadTokens: 1000,
    computedReadTokens,
    errorPercent: computedReadTokens / 10 - 100,
    cause,
    reportedWriteTokens: 100,
    computedWriteTokens,
    writeErrorPercent: computedWriteTokens - 100,
  });
  const byName = new Map([
    ["a.jsonl", cacheValidity(1100, 40, "it was cold")],
    ["b.jsonl", cacheValidity(1010, 104, null)],
    ["c.jsonl", cacheValidity(1000, 100, null)],
  ]);
  const rows = report.rows.map((row) => ({
    ...row,
    metrics:
      row.metrics === null || row.policy !== "recorded"
        ? row.metrics
        : { ...row.metrics, cacheValidity: byName.get(row.session) ?? null },
  }));
  const sessions = report.sessions.map((session) => ({
    ...session,
    statedCostUsd: session.session === "c.jsonl" ? 1 : null,
    sumReportedPromptTokens: rows.find((row) => row.session === session.session)?.metrics?.economy.promptTokens ?? 0,
  }));
  const lines = validityLines({ ...report, sessions, rows });
  expect(lines).toContain("a.jsonl: cache reads +10.0 %, cache writes −60.0 %: it was cold");
  expect(lines.join("\n")).not.toContain("b.jsonl: cache");
  expect(lines.find((line) => line.startsWith("c.jsonl"))).toMatch(/cost [+−][\d.]+ %: its agent had other prices/);
});
