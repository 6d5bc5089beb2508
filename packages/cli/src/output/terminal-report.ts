import type { BenchReport, RunMetrics } from "@plimsoll/bench";
import {
  formatNumberOf,
  lineageWords,
  markedReport,
  modelSummaryNote,
  type ReportProblem,
  reportProblems,
  summarizePolicies,
  validatedWords,
  verdicts,
} from "@plimsoll/bench/internal";
import { askText } from "../ask/ask-text.ts";
import { printable, wrapped } from "../terminal/printable.ts";
import { calibrationLines } from "./calibration-table.ts";
import { differenceTables, recordTables } from "./comparison-text.ts";
import { footerLines, validityLines } from "./footer.ts";
import { costTables, policyTables, sessionTable } from "./session-table.ts";

/** Parts that the terminal shows in addition to the report itself. */
export interface TerminalOptions {
  /** Every difference with its interval, or with a row for every session. */
  readonly full: boolean;
  readonly notSessions: readonly string[];
  /** How wide tables may be. */
  readonly columns: number;
  /** Files that were written. */
  readonly written: readonly string[];
  /** The metrics of the report's run. */
  readonly metrics: RunMetrics;
}

/** The meaning of the table's figures, in five lines of 80 columns. */
const READING = [
  "fired: it compacted or tried to. cost: % of doing nothing, with a prompt cache. held: what was",
  "needed later and was still there word for word; far: said 20k tokens back. lost, tied, won: in",
  "how many sessions; lost: a thousandth dearer, or more measures lower than higher. working room:",
  "a window with that much above the overhead, for experts; --window real: the model's own.",
].join(" ");

const READING_WHOLE = [
  "acted: it fired, or shortened results as they came. % none: geometric mean of sessions. held is",
  "told of five: edits, the texts that edits replace; passages, the lines around what replies refer",
  "to; the file in hand; instructions; the plan. Other measures, charts: --html.",
].join(" ");

const READING_COST =
  "USD: requests, replies and summaries; per 100 calls; cold: found less than half in the cache, or came after its time.";

const plain = (text: string) => wrapped(text, { first: "", further: "" }).join("\n");

const MORE = "Costs in full, sessions, every difference and how far the figures reach: --full.";

/** The report as text for a terminal: the verdict, one table, and all else only if it is asked for. */
export function terminalReport(report: BenchReport, options: TerminalOptions): string {
  const { full, notSessions, written, metrics, columns } = options;
  const marked = markedReport(report);
  const hasFigures = report.rows.some(({ metrics }) => metrics !== null);
  const more = full
    ? [
        ...(hasFigures ? [costTables(marked, { metrics, columns }), plain(`${READING_WHOLE} ${READING_COST}`)] : []),
        differenceTables(marked, columns),
        ...(hasFigures ? [[...validityLines(report), ...calibrationLines(report)].join("\n"), plain(validatedWords())] : []),
      ]
    : [];
  const sections = [
    problemText(reportProblems(report)),
    ...(full ? [sessionTable(report, columns)] : []),
    plain(lineageWords(report.lineages)),
    verdictText(marked, metrics),
    recordTables(marked, columns),
    ...(report.rows.length > 0 ? [policyTables(marked, { metrics, columns })] : []),
    ...more,
    ...(report.ask === undefined ? [] : [askText(report.ask, columns)]),
    ...(hasFigures ? [[...markLines(report), plain(READING)].join("\n")] : ["Nothing could be replayed."]),
    [
      ...footerLines(report, notSessions),
      ...(full || !hasFigures ? [] : [MORE]),
      ...written.map((file) => `Written: ${file}`),
    ].join("\n"),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

/** So many are said on the first screen; the worst come first (chosen). */
const SHOWN_PROBLEMS = 8;

/** Shows the problems that a reader must know before any figure, bounded to a part of a screen; nothing without a problem. */
export function problemText(problems: readonly ReportProblem[]): string {
  if (problems.length === 0) return "";
  const more = problems.length - SHOWN_PROBLEMS;
  return [
    "Problems:",
    ...problems
      .slice(0, SHOWN_PROBLEMS)
      .flatMap(({ text }) => wrapped(`- ${printable(text)}`, { first: "  ", further: "    " })),
    ...(more > 0 ? [`  and ${formatNumberOf(more, "more problem")}: --json and --html have them all`] : []),
  ].join("\n");
}

/** The answer before its figures: lines that fit 80 columns. */
function verdictText(report: BenchReport, metrics: RunMetrics): string {
  return verdicts(report, summarizePolicies(report, metrics))
    .map(({ title, lines, now }) => {
      const running = now.length === 0 ? [] : [`What you run now: ${now.join("; ")}.`];
      return [`${title}:`, ...[...lines, ...running].flatMap((line) => wrapped(line, { first: "  ", further: "    " }))].join(
        "\n",
      );
    })
    .join("\n\n");
}

function markLines(report: BenchReport): readonly string[] {
  const mark = modelSummaryNote(report);
  return mark === null ? [] : wrapped(mark, { first: "", further: "" });
}
