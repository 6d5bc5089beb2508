import type { BenchReport, RunMetrics } from "@plimsoll/bench";
import { markedReport, modelSummaryNote, validatedWords } from "@plimsoll/bench/internal";
import { askText } from "../ask/ask-text.ts";
import { wrapped } from "../terminal/printable.ts";
import { calibrationLines } from "./calibration-table.ts";
import { differenceTables, recordTables } from "./comparison-text.ts";
import { footerLines, validityLines } from "./footer.ts";
import { costTables, policyTables, sessionTable } from "./session-table.ts";

/** What the terminal shows in addition to the report itself. */
export interface TerminalOptions {
  readonly listSessions: boolean;
  /** Every difference with its interval, or with a row for every session. */
  readonly full: boolean;
  readonly notSessions: readonly string[];
  /** Files that were written. */
  readonly written: readonly string[];
  /** The metrics of the report's run. */
  readonly metrics: RunMetrics;
}

const READING = [
  "lost: a thousandth dearer; more measures of the vector below than above. Differences: --full.",
  "fired: sessions with a compaction / replayed. prompt tokens: of all requests. % of none: geometric",
  "mean of sessions, and pooled, if one of the two acted. edits: texts that edits replace; passages:",
  "the lines around what replies refer to: held word for word when needed, mean of the sessions; far:",
  "stated 20k tokens back. Instructions, plan and a plain tail of each policy's size: see --html.",
  "USD: requests, replies and summaries, with and without a prompt cache; per 100 calls;",
  "% none: geometric mean; cold: found less than half in the cache, or came after its time.",
].join("\n");

const VALIDATED_LINES = wrapped(validatedWords(), { first: "", further: "" });

/** The whole report as text for a terminal of 100 columns. */
export function terminalReport(report: BenchReport, options: TerminalOptions): string {
  const { listSessions, full, notSessions, written, metrics } = options;
  const marked = markedReport(report);
  const hasFigures = report.rows.some(({ metrics }) => metrics !== null);
  const sections = [
    sessionTable(report, { all: listSessions }),
    recordTables(marked),
    ...(report.rows.length > 0 ? [policyTables(marked, metrics)] : []),
    ...(hasFigures ? [costTables(marked, metrics)] : []),
    ...(full ? [differenceTables(marked)] : []),
    ...(report.ask === undefined ? [] : [askText(report.ask)]),
    ...(hasFigures
      ? [[...validityLines(report), ...calibrationLines(report), ...markLines(report), READING, ...VALIDATED_LINES].join("\n")]
      : ["Nothing could be replayed."]),
    [...footerLines(report, notSessions), ...written.map((file) => `Written: ${file}`)].join("\n"),
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}

function markLines(report: BenchReport): readonly string[] {
  const mark = modelSummaryNote(report);
  return mark === null ? [] : wrapped(mark, { first: "", further: "" });
}
