import { resolve } from "node:path";
import type { Command } from "commander";
import type { CliIo } from "../io.ts";

/** Options of every command that writes reports. */
export interface ReportOptions {
  readonly json?: string;
  readonly html?: string;
  readonly markdown?: string;
}

/** Absolute paths of the files to write; `null` for none. */
export interface ReportFiles {
  readonly json: string | null;
  readonly html: string | null;
  readonly markdown: string | null;
}

/** Adds `--json`, `--html` and `--markdown`. */
export function addReportOptions(command: Command): Command {
  return command
    .option("--json <file>", "write the whole report as JSON (its schema: plimsoll bench schema)")
    .option("--html <file>", "write the report as one HTML page")
    .option("--markdown <file>", "write the tables as Markdown, for a pull request");
}

/** Where the reports go. */
export function reportFiles({ json, html, markdown }: ReportOptions, { cwd }: Pick<CliIo, "cwd">): ReportFiles {
  const place = (file: string | undefined) => (file === undefined ? null : resolve(cwd, file));
  return { json: place(json), html: place(html), markdown: place(markdown) };
}
