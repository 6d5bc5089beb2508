import { expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import { judge } from "../judge/judge.ts";
import { ownRuleRemarks } from "./own-rules.ts";

const REPORT = exampleReport();
const [WINDOW] = judge(REPORT).windows;

/** The remarks, with these steps in each compaction of sven. */
const remarks = (steps: readonly string[], policies: readonly string[] = []) => {
  const sven = REPORT.rows.filter(({ policy }) => policy === "sven");
  const rows = REPORT.rows.map((row) => {
    const like = policies.includes(row.policy)
      ? sven.find(({ session, window }) => session === row.session && window === row.window)
      : undefined;
    const compactions = (like ?? row).compactions.map((each) => ({ ...each, steps: row.policy === "sven" ? steps : [] }));
    return { ...row, metrics: (like ?? row).metrics, compactions };
  });
  return WINDOW === undefined ? [] : ownRuleRemarks({ rows }, WINDOW, String);
};

test.each<[string, readonly string[], RegExp]>([
  [
    "what a rule kept",
    ["keep tickets: 32 of 56 kept, no room for 24"],
    /^sven: keep tickets kept \d+ of \d+ choices in \d+ compactions\.$/,
  ],
  ["that it chose nothing", ["keep tickets: chose nothing"], /^sven: keep tickets chose nothing in \d+ compactions\.$/],
])("a person's own rule: %s", (_, steps, text) => {
  expect(remarks(steps)).toEqual([expect.stringMatching(text)]);
});

test("built-in rules and their losses are no remark", () => {
  expect(remarks(["keep human: released", "summarize: applied"])).toEqual([]);
});

test("policies with equal results are named together", () => {
  expect(remarks([], ["sven", "none"])).toEqual(["Identical results in every session: none, sven."]);
});
