import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createSerialPool, importFile } from "@plimsoll/bench";
import {
  countedSession,
  fileSource,
  findingsOf,
  formatNumberOf,
  type GradeTable,
  gradeTable,
  type InputFile,
  type Lineages,
  lineagesIn,
  openKeptReplays,
  prepareSession,
  renderValidationHtml,
  type SessionFindings,
  textTable,
  validationLead,
  validationMarkdown,
  validationOf,
  validationTables,
} from "@plimsoll/bench/extend";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { writeWholeFile } from "@plimsoll/core/node";
import type { Command } from "commander";
import {
  addLogOptions,
  areAllMissing,
  type FoundInputs,
  findInputs,
  findLogs,
  joinInputs,
  type LogOptions,
  olderLine,
} from "../input/find-inputs.ts";
import { type CliIo, EXIT_FAILED, EXIT_OK, messageOf } from "../io.ts";
import { reportTable } from "../output/report-table.ts";
import { fitted, tableColumns, tell } from "../terminal/printable.ts";
import { createProgressBar } from "../terminal/progress-bar.ts";
import { type OpenState, openState } from "./replay-state.ts";

interface ValidateOptions extends LogOptions {
  readonly json?: string;
  readonly markdown?: string;
  readonly html?: string;
}

/** Adds `plimsoll validate`: whether the bench's measures predict anything, from the compactions in real logs. */
export function defineValidateCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  const inputs =
    "session files, folders (and their subfolders) or patterns; and one FILE.csv of grades, with the columns session and grade (0 to 1, pass or fail)";
  addLogOptions(command.argument("[inputs...]", inputs))
    .option("--json <file>", "write all figures as JSON")
    .option("--markdown <file>", "write the tables as Markdown")
    .option("--html <file>", "write the tables as one HTML page")
    .action(async (inputs: readonly string[], options: ValidateOptions) => onExit(await validateInputs(inputs, options, io)));
}

async function validateInputs(inputs: readonly string[], options: ValidateOptions, io: CliIo): Promise<number> {
  const say = (line: string) => tell(io, line);
  const logs = await findLogs(options, io);
  const [table, ...others] = inputs.filter(isTable);
  if (others.length > 0) throw new PlimsollError("bad-input", `one table of grades is read, not ${others.length + 1}`);
  const sessions = inputs.filter((input) => !isTable(input));
  const found = joinInputs(await findInputs(sessions, io.cwd), logs);
  for (const { reason } of found.missing) say(reason);
  for (const file of found.notSessions) say(`${file}: no known session format; left out`);
  if (found.older > 0) say(olderLine(found.older));
  const run = { validated: found.files };
  const kept = await openState({ folder: undefined, run, unit: "file" }, io);
  const grades = table === undefined ? null : gradesIn(table, io);
  const findings = await findingsIn(found, { io, say, kept, grades });
  await kept.finish();
  for (const line of grades?.table.unused(findings.map(({ session }) => session)) ?? [])
    say(`${line} is no session that was given`);
  if (findings.length === 0) {
    if (!areAllMissing(found)) {
      say("nothing to validate on: give files, folders or patterns with recorded sessions, or --from <agent>");
    }
    return EXIT_FAILED;
  }
  const validation = validationOf(findings, new Date(io.nowMs()).toISOString().slice(0, "YYYY-MM-DD".length));
  const columns = tableColumns(io.stdout);
  const tables = validationTables(validation).map((table) => reportTable(textTable(table), columns));
  io.stdout.write(`${[validationLead(validation).map(fitted).join("\n"), ...tables].join("\n\n")}\n`);
  const write = (file: string | undefined, text: () => string) => {
    if (file !== undefined) writeWholeFile(resolve(io.cwd, file), text());
  };
  write(options.json, () => `${JSON.stringify(validation, null, 2)}\n`);
  write(options.markdown, () => validationMarkdown(validation));
  write(options.html, () => renderValidationHtml(validation));
  if (validation.compactedSessions === 0)
    say(`none of ${formatNumberOf(findings.length, "session")} was compacted: only edits could be looked at`);
  return EXIT_OK;
}

/** True for a table of grades: no session log is one. */
function isTable(input: string): boolean {
  return input.endsWith(".csv");
}

/** The grades that a person gave, with a hash of their file: findings are kept for each. */
interface Grades {
  readonly table: GradeTable;
  readonly hash: string;
}

/** Reads a table of grades. Throws `bad-input` if it cannot be read or a line of it is none. */
function gradesIn(file: string, io: CliIo): Grades {
  try {
    const text = readFileSync(resolve(io.cwd, file), "utf8");
    return { table: gradeTable(text, file), hash: hashOf(text) };
  } catch (cause) {
    if (isPlimsollError(cause)) throw cause;
    throw new PlimsollError("bad-input", `${file}: cannot be read; give a file with lines of session,grade`, { file }, cause);
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Raised if findings say more than before, so that those of an older form are made anew. */
const FINDINGS_FORM = 3;

interface FindingPorts {
  readonly io: CliIo;
  readonly say: (line: string) => void;
  readonly kept: OpenState;
  readonly grades: Grades | null;
}

/** One file after the other, so that memory follows the largest. Sub-agents' sessions are left out: they are of another kind. */
async function findingsIn(
  { files }: FoundInputs,
  { io, say, kept, grades }: FindingPorts,
): Promise<readonly SessionFindings[]> {
  const lineages = await lineagesIn(files, createSerialPool());
  const bar = createProgressBar(io.stderr, { what: "validating" });
  const store = openKeptReplays(kept.state);
  const findings: SessionFindings[] = [];
  const problems: string[] = [];
  for (const [done, { path, displayName }] of files.entries()) {
    bar.show({ file: displayName, filesDone: done, filesTotal: files.length, workDone: done, workTotal: files.length });
    try {
      const made = {
        findings: displayName,
        ...(lineages.in(displayName).length > 0 && { shared: lineages.in(displayName) }),
        form: FINDINGS_FORM,
        ...(grades !== null && { grades: grades.hash }),
        hash: hashOf(await fileSource(path, displayName).text()),
      };
      const known = await store.read(made, areFindings);
      const found = known ?? (await findingsOfFile({ path, displayName }, { lineages, grades }));
      if (known === null) await store.keep(made, found);
      else kept.onKept(1);
      findings.push(...found);
    } catch (error) {
      // One file that cannot be read must not end the others.
      problems.push(messageOf(error));
    }
  }
  bar.stop();
  for (const problem of problems) say(problem);
  return findings;
}

async function findingsOfFile(
  { path, displayName }: InputFile,
  { lineages, grades }: { readonly lineages: Lineages; readonly grades: Grades | null },
): Promise<readonly SessionFindings[]> {
  const findings: SessionFindings[] = [];
  for (const transcript of await importFile(path, displayName)) {
    if (transcript.parentName !== null) continue;
    const session = countedSession(prepareSession(grades?.table.graded(transcript) ?? transcript), lineages.in(displayName));
    if (session !== null) findings.push(await findingsOf(session));
  }
  return findings;
}

/** Tells whether kept findings are whole: this code wrote them under the same name, so their form is not looked at further. */
function areFindings(value: unknown): value is readonly SessionFindings[] {
  return Array.isArray(value);
}
