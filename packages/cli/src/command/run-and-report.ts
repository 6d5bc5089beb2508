import type { BenchReport, WindowRequest } from "@plimsoll/bench";
import { renderHtmlReport, renderJsonReport, runBench } from "@plimsoll/bench";
import type { Policy } from "@plimsoll/core";
import type { ModelCatalog } from "@plimsoll/providers";
import { EXIT_FAILED, EXIT_OK } from "../exit-code.ts";
import type { FoundInputs } from "../input/find-inputs.ts";
import type { CliIo } from "../io.ts";
import { terminalReport } from "../output/terminal-report.ts";
import { writeWholeFile } from "../output/write-file.ts";
import { createProgressBar } from "../terminal/progress-bar.ts";
import { plimsollVersion } from "../version.ts";

/** A run and what is to be said about it. */
export interface RunRequest {
  readonly found: FoundInputs;
  readonly policies: readonly Policy[];
  readonly windows: readonly WindowRequest[];
  /** Prices and cache rules. */
  readonly catalog: ModelCatalog;
  /** List the sessions, however many there are. */
  readonly listSessions: boolean;
  /** Absolute paths of the files to write; `null` for none. */
  readonly reports: { readonly json: string | null; readonly html: string | null };
}

/** Replays, prints the tables and writes the reports. Resolves to the exit code: failed only if nothing could be replayed. */
export async function runAndReport(request: RunRequest, io: CliIo): Promise<number> {
  const report = await replayAll(request, io);
  const { json, html } = request.reports;
  if (json !== null) await writeWholeFile(json, renderJsonReport(report));
  if (html !== null) await writeWholeFile(html, renderHtmlReport(report));
  const written = [html, json].flatMap((file) => file ?? []);
  const { listSessions, found } = request;
  io.stdout.write(`${terminalReport(report, { listSessions, notSessions: found.notSessions, written })}\n`);
  return report.rows.some(({ metrics }) => metrics !== null) ? EXIT_OK : EXIT_FAILED;
}

async function replayAll({ found, policies, windows, catalog }: RunRequest, io: CliIo): Promise<BenchReport> {
  const bar = createProgressBar(io.stderr);
  try {
    const report = await runBench({
      files: found.files,
      policies,
      windows,
      catalog,
      plimsollVersion: plimsollVersion(),
      onProgress: bar.show,
    });
    return { ...report, skipped: [...found.missing, ...report.skipped] };
  } finally {
    bar.stop();
  }
}
