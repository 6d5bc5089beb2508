import type { RunMetrics } from "../metrics/registry.ts";
import type { BenchReport } from "../results.ts";
import { formatNumberOf, lineageWords } from "./figures.ts";
import { capitalised } from "./labels.ts";
import { type ShownReport, shownReport } from "./report-tables.ts";
import { escaped, tableMarkdown } from "./table.ts";

/** Renders a report as Markdown, for a pull request or a page: first the answer and its table, then all others. Give its run's metrics. */
export function renderMarkdownReport(report: BenchReport, metrics?: RunMetrics): string {
  return markdownPage(shownReport(report, metrics));
}

/** The Markdown of a report that is shown in other forms too. */
export function markdownPage({ report, problems, windows, reading, further, notes }: ShownReport): string {
  const calls = report.sessions.reduce((sum, session) => sum + session.calls, 0);
  const list = (lines: readonly string[]) => lines.map((line) => `- ${escaped(line)}`).join("\n");
  const parts = [
    "## Compaction policies compared",
    `${formatNumberOf(report.sessions.length, "recorded session")} with ${formatNumberOf(calls, "model call")}. ${lineageWords(report.lineages)}`.trim(),
    ...(problems.length === 0 ? [] : ["### Problems", list(problems.map(({ text }) => text))]),
    ...windows.flatMap(({ judged, lines, table }) => [
      `### The answer, ${escaped(judged.windowLabel)}`,
      list(lines),
      tableMarkdown(table),
    ]),
    ...(windows.length === 0 ? [] : [escaped(capitalised(reading))]),
    ...notes.map(escaped),
    ...further().map(tableMarkdown),
  ];
  return parts.join("\n\n").concat("\n");
}
