import type { BenchReport, RunMetrics } from "@plimsoll/bench";
import { renderHtmlReport, renderJsonReport, renderMarkdownReport } from "@plimsoll/bench";
import { EXIT_FAILED, EXIT_OK } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import type { ReportFiles } from "../option/report-options.ts";
import { terminalReport } from "../output/terminal-report.ts";
import { writeWholeFile } from "../output/write-file.ts";

/** What is to be said about a report, and where it is written to. */
export interface ReportOutput {
  readonly reports: ReportFiles;
  readonly listSessions: boolean;
  readonly notSessions: readonly string[];
  /** The metrics of the report's run. */
  readonly metrics: RunMetrics;
}

/** Prints the tables and writes the reports. Resolves to the exit code: failed only if nothing could be replayed. */
export async function writeReports(report: BenchReport, output: ReportOutput, io: CliIo): Promise<number> {
  const { listSessions, notSessions, metrics } = output;
  const { json, html, markdown } = output.reports;
  if (json !== null) await writeWholeFile(json, renderJsonReport(report));
  if (html !== null) await writeWholeFile(html, renderHtmlReport(report, metrics));
  if (markdown !== null) await writeWholeFile(markdown, renderMarkdownReport(report, metrics));
  const written = [html, json, markdown].flatMap((file) => file ?? []);
  io.stdout.write(`${terminalReport(report, { listSessions, notSessions, written, metrics })}\n`);
  return report.rows.some(({ metrics }) => metrics !== null) ? EXIT_OK : EXIT_FAILED;
}
