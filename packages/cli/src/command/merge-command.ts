import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type BenchReport, benchReportSchema, mergeReports, type NamedReport } from "@plimsoll/bench";
import { PlimsollError } from "@plimsoll/core";
import type { Command } from "commander";
import type { CliIo } from "../io.ts";
import { addReportOptions, type ReportOptions, reportFiles } from "../option/report-options.ts";
import { writeReports } from "./write-reports.ts";

/** Adds `plimsoll bench merge`: puts the reports of a run's parts together. */
export function addMergeCommand(bench: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  const merge = bench
    .command("merge")
    .description("put the JSON reports of all parts of a run (--shard) together: the same bytes as one run")
    .argument("<reports...>", "JSON reports, one of each part")
    .action(async (names: readonly string[], _own: ReportOptions, command: Command) =>
      // Options that the command above has too are read there.
      onExit(await mergeAll(names, command.optsWithGlobals<ReportOptions>(), io)),
    );
  addReportOptions(merge);
}

async function mergeAll(names: readonly string[], options: ReportOptions, io: CliIo): Promise<number> {
  const parts: NamedReport[] = [];
  for (const name of names) parts.push({ name, report: await readReport(resolve(io.cwd, name), name) });
  return writeReports(mergeReports(parts), { reports: reportFiles(options, io), listSessions: false, notSessions: [] }, io);
}

/** Reads a JSON report. Throws `bad-input` where it is none. */
export async function readReport(path: string, displayName: string): Promise<BenchReport> {
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null)
    throw new PlimsollError("bad-input", `${displayName}: cannot be read; give a JSON report of plimsoll bench`);
  const content = parsedOrNull(text);
  if (isReport(content)) return content;
  const [issue] = benchReportSchema.safeParse(content).error?.issues ?? [];
  const place = issue?.path.map(String).join(".") ?? "";
  throw new PlimsollError(
    "bad-input",
    `${displayName}: no report of this version${place === "" ? "" : ` (${place}: ${issue?.message})`}`,
  );
}

/** The content itself stays, with the order of its keys: a schema would put them into its own. */
function isReport(content: unknown): content is BenchReport {
  return benchReportSchema.safeParse(content).success;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema says what is wrong with it.
    return null;
  }
}
