import type { BenchReport } from "@plimsoll/bench";
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
}

/** Prints the tables and writes the reports. Resolves to the exit code: failed only if nothing could be replayed. */
export async function writeReports(report: BenchReport, output: ReportOutput, io: CliIo): Promise<number> {
  const { json, html, markdown } = output.reports;
  if (json !== null) await writeWholeFile(json, renderJsonReport(report));
  if (html !== null) await writeWholeFile(html, renderHtmlReport(report));
  if (markdown !== null) await writeWholeFile(markdown, renderMarkdownReport(report));
  const written = [html, json, markdown].flatMap((file) => file ?? []);
  const { listSessions, notSessions } = output;
  io.stdout.write(`${terminalReport(report, { listSessions, notSessions, written })}\n`);
  return report.rows.some(({ metrics }) => metrics !== null) ? EXIT_OK : EXIT_FAILED;
}
