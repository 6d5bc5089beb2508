import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { writeWholeFile } from "@plimsoll/stores";
import { brokenPolicies } from "../drive/part-failures.ts";
import type { BenchParts } from "../extension.ts";
import type { RunMetrics } from "../metrics/registry.ts";
import { type BenchInput, runBench } from "../replay/run-bench.ts";
import { checkParquetFolder, tableFile, writeParquet } from "../results/parquet.ts";
import type { BenchReport } from "../results.ts";
import { formatCount, formatNumberOf, formatTokens, formatUsd } from "../show/figures.ts";
import { htmlPage } from "../show/html.ts";
import { jsonReportPieces } from "../show/json.ts";
import { markdownPage } from "../show/markdown.ts";
import { shownReport } from "../show/report-tables.ts";
import { terminalReport } from "../show/terminal-report.ts";
import { addedTallies, NO_SUMMARIES_ASKED, type SummaryTally, summarizerName } from "../summaries/open-source.ts";
import { type CliIo, EXIT_FAILED, EXIT_OK } from "../terminal/io.ts";
import { tableColumns, tell } from "../terminal/printable.ts";
import type { FoundInputs } from "./find-inputs.ts";
import { createProgressBar } from "./progress-bar.ts";
import { type ReportFiles, reportFiles } from "./replay-options.ts";
import { type OpenState, openState, poolOf } from "./replay-state.ts";

type RunInput = "policies" | "sweeps" | "windows" | "prices" | "shard" | "summarizer" | "withoutEffect";

interface RunRequest extends Pick<Required<BenchInput>, RunInput> {
  readonly found: FoundInputs;
  readonly parts: BenchParts;
  /** Replays at a time; `null` uses the machine's processors, and one for a small run. */
  readonly jobs: number | null;
  /** Print every difference with its interval. */
  readonly full: boolean;
  /** Prints the likely cost of a model's summaries, and stops there. */
  readonly dryRun: boolean;
  /** The file of rows; if left out, a file only for this run. */
  readonly stateFile: string | undefined;
  readonly reports: ReportFiles;
}

/**
 * Replays, prints the tables and writes the reports. Resolves to the exit code, as {@link writeReports}. Prints the likely cost
 * before it asks a model for summaries, and the actual cost afterwards.
 */
export async function runAndReport(request: RunRequest, io: CliIo): Promise<number> {
  const { reports, full, found, parts, policies, windows, prices, shard, summarizer, dryRun, stateFile } = request;
  // Before hours of replays, and before a model is asked.
  if (reports.out !== undefined) await checkParquetFolder(reports.out, shard);
  const name = summarizerName(summarizer);
  const isAsking = summarizer.kind === "model";
  if (isAsking) {
    const estimate = await replayAll({ ...request, summarizer: { ...summarizer, missing: "estimate" } }, io);
    const line = summaryEstimate(name, estimate.tally);
    if (dryRun) {
      io.stdout.write(`${line}\n`);
      return EXIT_OK;
    }
    tell(io, line);
  }
  const run = { files: found.files, policies, windows, prices: [...prices], shard, summarizer, with: parts.identity };
  const state = await openState({ file: stateFile, run, parts }, io);
  const { report, tally } = await replayAll(request, io, state);
  await state.finish();
  if (isAsking) tell(io, summaryBill(name, tally));
  return writeReports(report, { reports, full, metrics: parts.metrics }, io);
}

/** A run of fewer replays is over before workers have started (chosen). */
const FEWEST_SHARED_REPLAYS = 60;

async function replayAll(
  request: RunRequest,
  io: CliIo,
  state: OpenState | null = null,
): Promise<{ readonly report: BenchReport; readonly tally: SummaryTally }> {
  const { found, parts, jobs, policies, sweeps, windows, prices, shard, summarizer, withoutEffect } = request;
  const bar = createProgressBar(io.stderr, {}, io.nowMs);
  const replays = found.files.length * policies.length * windows.length;
  const pool = await poolOf(jobs ?? (replays < FEWEST_SHARED_REPLAYS ? 1 : availableParallelism()), io, parts);
  let tally = NO_SUMMARIES_ASKED;
  try {
    const report = await runBench({
      ...{ files: found.files, policies, sweeps, windows, prices, shard, summarizer, withoutEffect },
      missing: [...found.missing, ...found.notSessions],
      plimsollVersion: io.version,
      pool,
      kept: state?.kept ?? null,
      onProgress: bar.show,
      onSummaries: (asked) => {
        tally = addedTallies(tally, asked);
      },
    });
    return { report, tally };
  } finally {
    bar.stop();
    await pool.close();
  }
}

/** Prints the tables and writes the reports, if there are figures. Resolves to the exit code: failed if nothing could be replayed, or a policy is broken. */
export async function writeReports(
  report: BenchReport,
  output: { readonly reports: ReportFiles; readonly full: boolean; readonly metrics: RunMetrics },
  io: CliIo,
): Promise<number> {
  const { metrics } = output;
  const hasFigures = report.rows.some(({ metrics: own }) => own !== null);
  // A part may have no file, or none that can be read: it is whole then, too.
  const isEmpty = !hasFigures && report.shard === null;
  const { json, html, markdown, out } = isEmpty ? reportFiles({}, io) : output.reports;
  if (out !== undefined) {
    if (existsSync(tableFile(out, "rows", report.shard))) tell(io, `${out}: the results of an earlier run there are replaced`);
    await writeParquet(out, report, metrics);
  }
  const shown = shownReport(report, metrics);
  if (json !== null) writeWholeFile(json, jsonReportPieces(shown));
  if (html !== null) writeWholeFile(html, htmlPage(shown));
  if (markdown !== null) writeWholeFile(markdown, markdownPage(shown));
  const written = [html, json, markdown, out].flatMap((file) => file ?? []);
  io.stdout.write(`${terminalReport(shown, { ...output, written, columns: tableColumns(io.stdout) })}\n`);
  if (out !== undefined) {
    const query = `select policy, sum(cost_withCacheUsd) as usd from '${join(out, "rows", "*.parquet")}' group by policy`;
    io.stdout.write(`Read it: duckdb -c ${JSON.stringify(query)}\n`);
  }
  return report.shard !== null || (hasFigures && brokenPolicies(report.rows).size === 0) ? EXIT_OK : EXIT_FAILED;
}

function summaryEstimate(name: string, tally: SummaryTally): string {
  const there = tally.fromCassette === 0 ? "" : `; ${formatCount(tally.fromCassette)} are in the cassette`;
  if (tally.asked === 0) return `summaries by ${name}: nothing to send${there}`;
  return `summaries by ${name}: about ${sizeOf(tally)}${there}`;
}

function summaryBill(name: string, tally: SummaryTally): string {
  const there = `${formatNumberOf(tally.fromCassette, "answer")} from the cassette`;
  if (tally.asked === 0) return `summaries by ${name}: nothing was sent, nothing paid; ${there}`;
  return `summaries by ${name}: sent ${sizeOf(tally)}; ${there}`;
}

function sizeOf({ asked, promptTokens, replyTokens, usd }: SummaryTally): string {
  const dollars = usd === null ? "at an unknown price (--prices)" : `for $${formatUsd(usd)}`;
  return `${formatNumberOf(asked, "request")} with ${formatTokens(promptTokens)} prompt and ${formatTokens(replyTokens)} reply tokens ${dollars}`;
}
