import { expect, test } from "vitest";
import { microReportText } from "./micro-report.ts";

const spread = (median: number) => ({ median, least: median / 2, most: median * 2 });
const comparison = (slow: string, unlike: string | null) => ({ group: "g", slow, fast: "y", ratio: spread(2.345), unlike });

test("the table gives each ratio with its spread, and says once what two sides do not share", () => {
  const report = {
    node: "v0",
    rounds: 7,
    work: null,
    memory: [],
    comparisons: [comparison("x", "a"), comparison("z", "a"), comparison("w", null)],
  };
  expect(microReportText(report).split("\n").slice(2)).toEqual([
    "   this   against  times        rounds",
    "──────────────────────────────────────",
    "g  x [1]  y         2.35  1.17 to 4.69",
    "g  z [1]  y         2.35  1.17 to 4.69",
    "g  w      y         2.35  1.17 to 4.69",
    "[1] a",
    "",
  ]);
});

test("what does not depend on the machine is told beside it", () => {
  const work = { charactersScanned: 8, messagesVisited: 1, tokenizerCalls: 0 };
  const policies = [{ policy: "p", messageCount: 100, gate: work, step: work, planCharacters: 0, sessionCharacters: 50 }];
  const trims = [{ messageCount: 100, sessionCharacters: 50, langChainCharacters: 900, plimsollCharacters: 60 }];
  const memory = [{ policy: "p", entriesBytes: spread(100), managerBytes: spread(10) }];
  expect(
    microReportText({ node: "v0", rounds: 7, work: { policies, trims }, memory, comparisons: [] }).split("\n").slice(5),
  ).toEqual([
    "Work, the same on every machine:",
    "p at 100 messages: a quiet gate reads 8 characters, a step more 8, a plan 0 of 50",
    "cutting 100 messages of 50 characters to half: trimMessages counts 900, drop-oldest 60",
    "p: 100 (50 to 200) bytes a message in the log, 10 (5 to 20) in the context manager besides",
    "",
  ]);
});
