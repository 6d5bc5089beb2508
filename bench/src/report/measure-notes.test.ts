import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import type { HeldCount } from "../grounding/held-needs.ts";
import { columnsOf } from "../metrics/columns.ts";
import { METRICS } from "../metrics/registry.ts";
import type { ValidatedFigures } from "../metrics/validated.ts";
import type { BenchReport } from "../results.ts";
import { renderHtmlReport } from "./html.ts";
import { renderMarkdownReport } from "./markdown.ts";
import { failureNotes } from "./measure-notes.ts";
import { summarizePolicies } from "./policy-summary.ts";
import { validatedWords } from "./validated-words.ts";

/** An honest policy and a cheat, with what of a hundred edits each held. */
function reportOf(honest: number, cheat: number): BenchReport {
  const report = exampleReport({ sessions: ["a.jsonl"], calls: 120, sweptRatios: [0.9] });
  const [other = ""] = report.policies.flatMap(({ name, sweep }) => (sweep === null ? [] : [name]));
  const heldBy = new Map([
    ["sven", honest],
    [other, cheat],
    ["recorded", 10],
    ["none", 100],
  ]);
  const nameOf = (policy: string) => (policy === other ? "all-excerpts" : policy);
  return {
    ...report,
    policies: report.policies.map((each) => ({ ...each, name: nameOf(each.name), sweep: null })),
    rows: report.rows.map((row) => {
      if (row.metrics === null) return row;
      const count: HeldCount = { uses: 100, held: heldBy.get(row.policy) ?? 0 };
      const editGrounding = { ...row.metrics.editGrounding, all: count, far: { uses: 0, held: 0 } };
      const summaries = { digest: 0, recorded: 0, recordedAndDigest: 0, model: 0, failed: 0 };
      return { ...row, policy: nameOf(row.policy), metrics: { ...row.metrics, editGrounding, summaries } };
    }),
  };
}

describe("a measure fails", () => {
  const NOTE = "✗ This measure fails here, as it ranks a policy that is made to cheat first: edit grounding (all-excerpts).";

  test.each([
    ["if it ranks a cheat before every honest policy that acts", 80, 81, [NOTE]],
    ["not if they are equal", 80, 80, []],
    ["not if an honest policy is first", 81, 80, []],
  ])("%s", (_, honest, cheat, notes) => {
    const columns = columnsOf(METRICS, "terminal").filter(({ group }) => group === "edits %");
    expect(failureNotes(columns, summarizePolicies(reportOf(honest, cheat)))).toEqual(notes);
  });

  test.each([
    ["Markdown", renderMarkdownReport, /\| edits % ✗ \|[\s\S]*- ✗ This measure fails here/],
    ["HTML", renderHtmlReport, /edits ✗[\s\S]*✗ This measure fails here/],
  ])("and %s says so beside it", (_, render, expected) => {
    expect(render(reportOf(80, 81))).toMatch(expected);
    expect(render(reportOf(81, 80))).not.toMatch(expected);
  });
});

describe("validatedWords", () => {
  const figures = (verdict: ValidatedFigures["predictions"][number]["verdict"]): ValidatedFigures => ({
    date: "2026-01-31",
    sessions: 9,
    compactedSessions: 4,
    repositories: 3,
    owners: 2,
    reread: { value: null, interval: null, sessions: 0, cases: 0 },
    failedEdit: { value: null, interval: null, sessions: 0, cases: 0 },
    predictions: [{ outcome: "the edit fails", measure: "edit grounding", cases: 9, area: 0.5, verdict }],
  });

  test.each([
    ["that nothing is shown to predict", "unknown", "No measure here is shown to predict anything. Looked at"],
    ["what is", "predicts", "Shown to predict: edit grounding (the edit fails). Never asked: instructions"],
  ] as const)("says %s", (_, verdict, words) => {
    expect(validatedWords(figures(verdict))).toContain(words);
    expect(validatedWords(figures(verdict))).toContain("2026-01-31: 9 recorded sessions of 2 owners");
  });

  test.each([
    ["Markdown", renderMarkdownReport],
    ["HTML", renderHtmlReport],
  ])("stands in %s", (_, render) => {
    expect(render(exampleReport())).toContain("plimsoll validate, 20");
  });
});
