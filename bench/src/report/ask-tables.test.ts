import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import type { AskedPolicy, AskReport } from "../ask/ask-report.ts";
import { differenceOf, shareOf } from "../ask/ask-statistics.ts";
import { askTables } from "./ask-tables.ts";
import { renderHtmlReport } from "./html.ts";
import { renderMarkdownReport } from "./markdown.ts";

const HALF = shareOf([true, false]);
const NOTHING = shareOf([]);
const LOST = differenceOf([{ session: "a.jsonl", own: false, other: true, again: false }]);
const POLICY: AskedPolicy = {
  policy: "<b>|own",
  openCalls: 1200,
  tooLongCalls: 30,
  drawnCalls: 3,
  drawnSessions: 2,
  contexts: [
    { context: "full", meanPromptTokens: 50_000, answered: 2, missing: [{ why: "failed", calls: 1 }] },
    { context: "compacted", meanPromptTokens: 10_000, answered: 3, missing: [] },
    { context: "again", meanPromptTokens: 10_000, answered: 3, missing: [] },
    { context: "tail", meanPromptTokens: 10_100, answered: 3, missing: [] },
  ],
  comparisons: [{ of: "full", with: "recorded", calls: 2, tool: HALF, path: NOTHING, arguments: HALF }],
  differences: [{ of: "compacted", minus: "full", tool: LOST, path: LOST, arguments: LOST }],
};
const REPORT: AskReport = {
  model: "host:small",
  window: { kind: "working-room", tokens: 64_000 },
  callsAPolicy: 50,
  sessions: [
    { session: "a.jsonl", toolsFrom: "calls", hasSystem: false },
    { session: "b.jsonl", toolsFrom: "log", hasSystem: true },
  ],
  policies: [{ ...POLICY, policy: "none", openCalls: 0, tooLongCalls: 0, drawnCalls: 0, contexts: [] }, POLICY],
  calls: [],
};

describe("askTables", () => {
  const [difference, recorded] = askTables(REPORT);

  test.each([
    ["a policy that never cut", "none: no call to ask about."],
    [
      "what was drawn, and what was not",
      "<b>|own: 3 of 1,200 calls after cuts, in 2 sessions; of 30 others the full history does not fit the model.",
    ],
    ["answers that are missing", "<b>|own, no answer: full history 1 failed. They count nowhere."],
    [
      "tools that are made from calls",
      "Of 1 of 2 sessions the log has no tool definitions: names and arguments are those of its calls.",
    ],
    ["system texts that are not known", "Of 1 of 2 sessions the log has no system text."],
  ])("says %s", (_, note) => {
    expect(difference?.notes).toContain(note);
  });

  test("has a row for each context, and a dash where nothing is known", () => {
    expect(recorded?.rows.slice(0, 3)).toEqual([
      ["<b>|own", "", "", "", "", ""],
      ["  full history", "2/3", "50.0k", "50.0", "–", "50.0"],
      ["  compacted", "3/3", "10.0k", "–", "–", "–"],
    ]);
  });

  test("says the smallest difference that shows before any difference, and that there is not enough data", () => {
    expect(difference?.rows).toEqual([
      ["<b>|own", "", "", "", ""],
      ["  shows over full history", "1", ...Array(3).fill("from 161.7")],
      ["  over full history", "", ...Array(3).fill("not enough data (0:1)")],
    ]);
  });

  test.each([
    ["clear", { from: 0.05, through: 0.25 }, "+15.0 [+5.0, +25.0] (20:5)"],
    ["none where one would have shown", { from: -0.05, through: 0.25 }, "none seen [−5.0, +25.0]"],
  ])("a difference that is %s", (_, interval, cell) => {
    const clear = { calls: 100, gained: 20, lost: 5, ratio: 0.15, interval, detectableRatio: 0.08 };
    const differences = [{ of: "compacted", minus: "tail", tool: clear, path: clear, arguments: clear }] as const;
    const [table] = askTables({ ...REPORT, policies: [{ ...POLICY, differences }] });
    expect(table?.rows[2]).toEqual(["  over newest messages", "", cell, cell, cell]);
  });
});

test.each([
  ["page", renderHtmlReport, "&lt;b&gt;|own"],
  ["Markdown", renderMarkdownReport, "\\<b\\>\\|own"],
])("the %s shows it with names that are no markup, and only if a model was asked", (_, render, name) => {
  const title = "A model asked for the next action";
  expect(render(exampleReport())).not.toContain(title);
  const shown = render({ ...exampleReport(), ask: REPORT });
  expect(shown).toContain(title);
  expect(shown).toContain(name);
  expect(shown).not.toContain("<b>|own");
});
