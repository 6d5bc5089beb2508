import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { type BenchReport, mergeReports, type NamedReport, type RunMetrics, reportSchema } from "@plimsoll/bench";
import { isReport, readParts } from "@plimsoll/bench/extend";
import { PlimsollError } from "@plimsoll/core";
import { readSmallFile } from "@plimsoll/core/node";
import type { Command } from "commander";
import type { CliIo } from "../io.ts";
import {
  addReportOptions,
  type ExtensionOptions,
  openExtensions,
  type ReportOptions,
  reportFiles,
} from "../option/replay-options.ts";
import { writeReports } from "./run-and-report.ts";

interface MergeOptions extends ReportOptions, ExtensionOptions {
  readonly full?: true;
}

/** Adds `plimsoll bench merge`: puts the reports of a run's parts together. */
export function addMergeCommand(bench: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  const merge = bench
    .command("merge")
    .description("make one report of all parts of a run (--shard): the same bytes as one run")
    .argument("<reports...>", "JSON reports, one of each part, or the folder that --out wrote")
    .action(async (names: readonly string[], _own: ReportOptions, command: Command) =>
      // Options that the command above has too are read there.
      onExit(await mergeAll(names, command.optsWithGlobals<MergeOptions>(), io)),
    );
  addReportOptions(merge);
}

async function mergeAll(names: readonly string[], options: MergeOptions, io: CliIo): Promise<number> {
  const { metrics } = await openExtensions(options, io);
  const parts: NamedReport[] = [];
  for (const name of names) parts.push(...(await readReports({ path: resolve(io.cwd, name), name }, metrics)));
  const output = {
    reports: reportFiles(options, io),
    full: options.full ?? false,
    notSessions: [],
    metrics,
  };
  return writeReports(mergeReports(parts), output, io);
}

/** Where a report is, and what it is called. */
interface Place {
  readonly path: string;
  readonly name: string;
}

/** The most bytes of a report: a text can have a little more. */
const MAXIMUM_REPORT_BYTES = 500_000_000;

/** Reads the JSON report of a run with these metrics, or all parts of a folder of results. Throws `bad-input` if it is none. */
async function readReports({ path, name }: Place, metrics: RunMetrics): Promise<readonly NamedReport[]> {
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() ?? false;
  if (!isFolder) return [{ name, report: checkedReport({ name, content: readJson({ path, name }) }, metrics) }];
  const parts = await readParts(path);
  return parts.map((part) => {
    const named = { name: `${name}: ${part.name}`, content: part.content };
    return { name: named.name, report: checkedReport(named, metrics) };
  });
}

function readJson({ path, name }: Place): unknown {
  const found = readSmallFile(path, { maximumBytes: MAXIMUM_REPORT_BYTES });
  const why = found.kind === "refused" ? found.why : "cannot be read";
  if (found.kind !== "text") throw new PlimsollError("bad-input", `${name}: ${why}; give a JSON report of plimsoll bench`);
  return parsedOrNull(found.text);
}

function checkedReport(
  { name, content }: { readonly name: string; readonly content: unknown },
  metrics: RunMetrics,
): BenchReport {
  // The content itself stays, with the order of its keys: a schema would put them into its own.
  if (isReport(content, metrics)) return content;
  const [issue] = reportSchema(metrics).safeParse(content).error?.issues ?? [];
  const place = issue?.path.map(String).join(".") ?? "";
  throw new PlimsollError(
    "bad-input",
    `${name}: no report of this version${place === "" ? "" : ` (${place}: ${issue?.message})`}`,
  );
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema says what is wrong with it.
    return null;
  }
}
