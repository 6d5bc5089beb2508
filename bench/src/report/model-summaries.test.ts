import { describe, expect, test } from "vitest";
import { exampleReport } from "../../testing/example-report.ts";
import type { SummaryWriterCounts } from "../metrics/summary-writers.ts";
import type { BenchReport } from "../results.ts";
import { windowAnswers } from "./answer.ts";
import { renderHtmlReport } from "./html.ts";
import { renderMarkdownReport } from "./markdown.ts";
import { markedReport, modelSummaryNote } from "./model-summaries.ts";
import { summarizePolicies } from "./policy-summary.ts";

const NONE: SummaryWriterCounts = { digest: 0, recorded: 0, recordedAndDigest: 0, model: 0, failed: 0 };

/** Two policies that act: one asks a model for summaries, so many by writer; the other has none. */
function reportOf(counts: Partial<SummaryWriterCounts>, summarizer = "recorded"): BenchReport {
  const report = exampleReport({ sessions: ["a.jsonl"], calls: 120, sweptRatios: [0.9] });
  return {
    ...report,
    summarizer,
    rows: report.rows.map((row) => {
      if (row.metrics === null) return row;
      const summaries = row.policy === "sven" ? { ...NONE, ...counts } : NONE;
      return { ...row, metrics: { ...row.metrics, summaries } };
    }),
  };
}

describe("a policy that pays for a model's summaries", () => {
  test.each<[string, Partial<SummaryWriterCounts>, string, RegExp | null]>([
    ["recorded ones and stand-ins", { recorded: 2, digest: 3 }, "recorded", /Of 5 summaries 2 are the recorded agent's own;/],
    ["recorded ones in part", { recorded: 1, recordedAndDigest: 2, digest: 3 }, "recorded", /Of 6 summaries 3 are /],
    ["stand-ins alone", { digest: 3 }, "digest", /Of 3 summaries 0 are .* a digest stands in for the others\.$/],
    ["a model's", { model: 3, failed: 1 }, "anthropic:m", /Of 4 summaries anthropic:m wrote 3\.$/],
    ["none, and then there is no note", {}, "recorded", null],
  ])("is scored with %s, as the note says", (_, counts, summarizer, note) => {
    const text = modelSummaryNote(reportOf(counts, summarizer));
    expect(text === null ? null : note?.test(text)).toBe(note === null ? null : true);
  });

  test("has the mark in the tables of Markdown and HTML, and others have none", () => {
    const report = reportOf({ digest: 3 });
    const markdown = renderMarkdownReport(report);
    expect(markdown).toMatch(/^\| sven\\\* \| [\d.]+k \| 1\/1 /m);
    expect(markdown).not.toMatch(/^\| (?:sven|none\\\*|recorded\\\*) \|/m);
    expect(renderHtmlReport(report)).toContain('scope="row">sven*</th>');
    expect(markedReport(reportOf({}))).toEqual(reportOf({}));
  });

  test("is compared apart from those that do not, over the same sessions", () => {
    const report = reportOf({ digest: 3 });
    const answers = windowAnswers(report, summarizePolicies(report));
    const shown = answers.map(({ summaries, outcomes }) => [summaries, [...outcomes.byPolicy.keys()], outcomes.sessions]);
    const other = report.policies.find(({ sweep }) => sweep !== null)?.name;
    expect(shown).toEqual([
      ["without a model", [other], ["a.jsonl"]],
      ["by a model", ["sven"], ["a.jsonl"]],
    ]);
  });
});
