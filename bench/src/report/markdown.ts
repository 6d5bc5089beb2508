import { columnsOf } from "../metrics/columns.ts";
import { METRICS, type RunMetrics } from "../metrics/registry.ts";
import { BASELINE_POLICY } from "../metrics/relative.ts";
import type { BenchReport, ReportProblem } from "../results.ts";
import { answerTitle, windowAnswers } from "./answer.ts";
import { answerWords } from "./answer-words.ts";
import { askTables } from "./ask-tables.ts";
import { windowComparisons } from "./comparisons.ts";
import { dominancePart } from "./dominance.ts";
import { columnText, formatNumberOf, lineageWords } from "./figures.ts";
import { capitalised } from "./labels.ts";
import { curvePart, differencePart, losingPart } from "./markdown-comparisons.ts";
import { escaped, markdownTable } from "./markdown-table.ts";
import { cheatRankedFirst, FAILS, failureNotes } from "./measure-notes.ts";
import { markedReport, modelSummaryNote } from "./model-summaries.ts";
import { type PolicySummary, remarks, summarizePolicies, windowLabels } from "./policy-summary.ts";
import { reportProblems } from "./problems.ts";
import { validatedWords } from "./validated-words.ts";
import { validityLines } from "./validity.ts";
import { lineWords, verdicts } from "./verdict.ts";

/** A window's table: size, cost, safety and retention side by side, with what must be known of it and the curve over compactions. */
function windowPart(label: string, rows: readonly PolicySummary[], metrics: RunMetrics): readonly string[] {
  const columns = columnsOf(metrics, "markdown");
  const titles = columns.map((column) => `${column.title}${cheatRankedFirst(column, rows) === null ? "" : FAILS}`);
  const body = rows.map((summary) => [
    escaped(summary.policy),
    `${summary.firedSessions}/${summary.sessions}`,
    ...columns.map((column) => columnText(column, summary.metrics)),
  ]);
  const table = markdownTable({ head: ["policy", "fired", ...titles.map(escaped)], rows: body });
  const notes = [...failureNotes(columns, rows), ...remarks(rows)].map((line) => `- ${escaped(line)}`);
  return [`### ${capitalised(label)}`, table, ...(notes.length === 0 ? [] : [notes.join("\n")]), ...curvePart(rows)];
}

/** The report's tables as Markdown, for a pull request or a page of documentation. The metrics are those of its run. */
export function renderMarkdownReport(report: BenchReport, metrics: RunMetrics = METRICS): string {
  const marked = markedReport(report);
  const summaries = summarizePolicies(marked, metrics);
  const calls = report.sessions.reduce((sum, session) => sum + session.calls, 0);
  const answers = inShort(marked, summaries);
  const comparisons = windowComparisons(marked);
  const mark = modelSummaryNote(report);
  const shared = lineageWords(report.lineages);
  const validity = validityLines(report).map((line) => `- ${escaped(line)}`);
  return [
    "## Compaction policies compared",
    `${formatNumberOf(report.sessions.length, "recorded session")} with ${formatNumberOf(calls, "model call")}. Open loop: sizes, cost, safety and retention, not task success.`,
    ...problemPart(reportProblems(report)),
    ...(shared === "" ? [] : [shared]),
    ...(mark === null ? [] : [escaped(mark)]),
    ...dominancePart(comparisons),
    ...losingPart(marked, comparisons),
    answers,
    ...(validity.length === 0 ? [] : ["### Validity", validity.join("\n")]),
    escaped(validatedWords()),
    ...windowLabels(report).flatMap((label) => {
      const rows = summaries.filter(({ windowLabel }) => windowLabel === label);
      return windowPart(label, rows, metrics);
    }),
    ...differencePart(comparisons),
    ...askPart(report),
    ...(report.skipped.length === 0
      ? []
      : ["### Skipped", report.skipped.map(({ file, reason }) => `- ${escaped(`${file}: ${reason}`)}`).join("\n")]),
    `Means are geometric over sessions in which the policy or ${BASELINE_POLICY} acted. Summaries are charged as if a model had written them. Far: 20,000 tokens back. Redo is exploratory and decides nothing: an empty context minimises it.`,
  ]
    .join("\n\n")
    .concat("\n");
}

/** Lists the problems that a reader must know before any figure; nothing without a problem. */
function problemPart(problems: readonly ReportProblem[]): readonly string[] {
  return problems.length === 0 ? [] : ["### Problems", problems.map(({ text }) => `- ${escaped(text)}`).join("\n")];
}

/** The answer for each window, in words. */
function inShort(report: BenchReport, summaries: readonly PolicySummary[]): string {
  const said = new Map(verdicts(report, summaries).map(({ title, now }) => [title, now]));
  return windowAnswers(report, summaries)
    .map((answer) => {
      const running = said.get(answerTitle(answer)) ?? [];
      const now = running.length === 0 ? "" : ` What you run now: ${escaped(running.join("; "))}.`;
      const words = answerWords(answer, (policy) => lineWords(report, answer.windowLabel, policy));
      const { without, verdict, losses, figures, others, sure } = words;
      const use = verdict === null ? "" : `**${escaped(verdict)}** `;
      const sureness = sure === "" ? "" : ` How sure: ${escaped(sure)}`;
      return `- **${answerTitle(answer)}**: ${escaped(without)} ${use}${escaped(losses)} ${escaped(figures)} ${escaped(others)}${sureness}${now}`.replace(
        / +/g,
        " ",
      );
    })
    .join("\n");
}

/** Shows a model's next actions; nothing if none was asked. */
function askPart({ ask }: BenchReport): readonly string[] {
  if (ask === undefined) return [];
  return askTables(ask).flatMap(({ title, notes, head, rows }) => [
    `### ${title}`,
    notes.map(escaped).join("\n"),
    markdownTable({ head, rows: rows.map((cells) => cells.map((cell) => escaped(cell).trim())) }),
  ]);
}
