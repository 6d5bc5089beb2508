import { expect, test } from "vitest";
import { exampleReport } from "./example-report.ts";
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
    rows: report.rows.map((row) => ({ ...row, window: { kind: "real", tokens: 64_000 } as const })),
  };
  expect(validityLines(real).join("\n")).toMatch(
    /a\.jsonl: the recorded agent compacted before calls none; the policy sven before \d+, \d+/,
  );
  expect(validityLines(report).join("\n")).not.toContain("the recorded agent compacted");
});
