import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { createSerialPool, importFile } from "@plimsoll/bench";
import { countedSession, formatNumberOf, lineagesIn, prepareSession } from "@plimsoll/bench/extend";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { COMPACTIONS_FOLDER, RECORDED_FOLDER, type RecordedFile, ROOT } from "../recorded/recorded-sessions.ts";
import { type GradeTable, gradeTable } from "./grade-table.ts";
import { findingsOf, type SessionFindings } from "./validate-sessions.ts";
import { type Validation, validationOf } from "./validation.ts";
import { validationMarkdown } from "./validation-markdown.ts";

const USAGE = `pnpm validate [FOLDERS…] [FILE.csv] [--json FILE] [--figures]

Counts what recorded agents did again after their own compactions, and whether the measures predict it. Prints tables in Markdown.
  FOLDERS      session files, or folders of them; the recorded sessions if none is given
  FILE.csv     grades: lines of session,grade (0 to 1, pass or fail)
  --json FILE  writes all figures
  --figures    writes the file from which pages take what is shown of the measures`;

const FIGURES = "bench/src/metrics/validated-figures.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean" }, json: { type: "string" }, figures: { type: "boolean" } },
});
try {
  if (values.help === true) process.stdout.write(`${USAGE}\n`);
  else await validate();
} catch (error) {
  if (!isPlimsollError(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function validate(): Promise<void> {
  const [table, ...others] = positionals.filter(isTable);
  if (others.length > 0) throw new PlimsollError("bad-input", `one table of grades is read, not ${others.length + 1}`);
  const given = positionals.filter((input) => !isTable(input));
  const files = (given.length > 0 ? given : [COMPACTIONS_FOLDER, RECORDED_FOLDER].filter(existsSync)).flatMap(filesIn);
  const grades = table === undefined ? null : gradeTable(readFileSync(table, "utf8"), table);
  const findings = await findingsIn(files, grades);
  for (const line of grades?.unused(findings.map(({ session }) => session)) ?? [])
    process.stderr.write(`${line} is no session that was given\n`);
  if (findings.length === 0) {
    throw new PlimsollError(
      "bad-input",
      "no recorded sessions: give folders, or set PLIMSOLL_TRANSCRIPTS and PLIMSOLL_COMPACTIONS",
    );
  }
  const validation = validationOf(findings, new Date().toISOString().slice(0, "YYYY-MM-DD".length));
  process.stdout.write(validationMarkdown(validation));
  if (validation.compactedSessions === 0)
    process.stderr.write(
      `none of ${formatNumberOf(findings.length, "session")} was compacted: only edits could be looked at\n`,
    );
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(validation, null, 2)}\n`);
  if (values.figures === true) {
    writeFileSync(join(ROOT, FIGURES), sourceOf(validation));
    process.stderr.write(`${FIGURES} written; pnpm fmt puts it in order\n`);
  }
}

/** True for a table of grades: no session log is one. */
function isTable(input: string): boolean {
  return input.endsWith(".csv");
}

function filesIn(place: string): readonly RecordedFile[] {
  if (!statSync(place).isDirectory()) return [{ path: place, displayName: place }];
  const names = readdirSync(place, { recursive: true, encoding: "utf8" }).toSorted();
  return names
    .filter((name) => /\.(?:jsonl|json|traj|eval)$/.test(name))
    .map((name) => ({ path: join(place, name), displayName: name }));
}

/** One file after the other, so that memory follows the largest. Sub-agents' sessions are left out: they are of another kind. */
async function findingsIn(files: readonly RecordedFile[], grades: GradeTable | null): Promise<readonly SessionFindings[]> {
  const lineages = await lineagesIn(files, createSerialPool());
  const findings: SessionFindings[] = [];
  for (const { path, displayName } of files) {
    // A file of no known format, or one that cannot be read, is left out.
    for (const transcript of await importFile(path, displayName).catch(() => [])) {
      if (transcript.parentName !== null) continue;
      const session = countedSession(prepareSession(grades?.graded(transcript) ?? transcript), lineages.in(displayName));
      if (session !== null) findings.push(await findingsOf(session));
    }
  }
  return findings;
}

function sourceOf({ date, sessions, compactedSessions, repositories, owners, predictions }: Validation): string {
  const pooled = predictions.filter(({ of }) => of === "all");
  const figures = {
    date,
    sessions,
    compactedSessions,
    repositories,
    owners,
    predictions: pooled.map(({ outcome, measure, cases, area, verdict }) => ({
      outcome,
      measure,
      cases,
      area: area.value,
      verdict,
    })),
  };
  return `import type { ValidatedFigures } from "./validated.ts";

/** Findings of real compactions on the measures, with date and data. Written by \`pnpm validate --figures\` over recorded sessions that are not part of the project. */
export const VALIDATED: ValidatedFigures = ${JSON.stringify(figures, null, 2)};
`;
}
