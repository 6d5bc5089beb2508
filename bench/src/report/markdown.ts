import { METRICS, type RunMetrics } from "../metrics/registry.ts";
import type { BenchReport } from "../results.ts";
import { formatNumberOf, lineageWords } from "./figures.ts";
import { capitalised } from "./labels.ts";
import { READING } from "./policy-tables.ts";
import { shownReport } from "./report-tables.ts";
import { escaped, tableMarkdown } from "./table.ts";

/** Renders a report as Markdown, for a pull request or a page: first the answer and its table, then all others. Give the metrics that its run had. */
export function renderMarkdownReport(report: BenchReport, metrics: RunMetrics = METRICS): string {
  const { problems, verdicts, first, further, notes } = shownReport(report, metrics);
  const calls = report.sessions.reduce((sum, session) => sum + session.calls, 0);
  const list = (lines: readonly string[]) => lines.map((line) => `- ${escaped(line)}`).join("\n");
  const parts = [
    "## Compaction policies compared",
    `${formatNumberOf(report.sessions.length, "recorded session")} with ${formatNumberOf(calls, "model call")}. ${lineageWords(report.lineages)}`.trim(),
    ...(problems.length === 0 ? [] : ["### Problems", list(problems.map(({ text }) => text))]),
    ...verdicts.flatMap(({ windowLabel, lines }, place) => {
      const table = first[place];
      return [`### The answer, ${escaped(windowLabel)}`, list(lines), ...(table === undefined ? [] : [tableMarkdown(table)])];
    }),
    ...(first.length === 0 ? [] : [escaped(capitalised(READING))]),
    ...notes.map(escaped),
    ...further().map(tableMarkdown),
  ];
  return parts.join("\n\n").concat("\n");
}
