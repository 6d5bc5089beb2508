import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type BenchReport, mergeReports, type NamedReport, type RunMetrics, reportSchema } from "@plimsoll/bench";
import { PlimsollError } from "@plimsoll/core";
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
    .description("put the JSON reports of all parts of a run (--shard) together: the same bytes as one run")
    .argument("<reports...>", "JSON reports, one of each part")
    .action(async (names: readonly string[], _own: ReportOptions, command: Command) =>
      // Options that the command above has too are read there.
      onExit(await mergeAll(names, command.optsWithGlobals<MergeOptions>(), io)),
    );
  addReportOptions(merge);
}

async function mergeAll(names: readonly string[], options: MergeOptions, io: CliIo): Promise<number> {
  const { metrics } = await openExtensions(options, io);
  const parts: NamedReport[] = [];
  for (const name of names) parts.push({ name, report: await readReport({ path: resolve(io.cwd, name), name }, metrics) });
  const output = {
    reports: reportFiles(options, io),
    listSessions: false,
    full: options.full ?? false,
    notSessions: [],
    metrics,
  };
  return writeReports(mergeReports(parts), output, io);
}

/** Reads the JSON report of a run with these metrics. Throws `bad-input` if it is none. */
async function readReport(
  { path, name }: { readonly path: string; readonly name: string },
  metrics: RunMetrics,
): Promise<BenchReport> {
  const schema = reportSchema(metrics);
  // The content itself stays, with the order of its keys: a schema would put them into its own.
  const isReport = (content: unknown): content is BenchReport => schema.safeParse(content).success;
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) throw new PlimsollError("bad-input", `${name}: cannot be read; give a JSON report of plimsoll bench`);
  const content = parsedOrNull(text);
  if (isReport(content)) return content;
  const [issue] = schema.safeParse(content).error?.issues ?? [];
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
