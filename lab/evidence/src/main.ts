import { readFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { PlimsollError } from "@plimsoll/core";
import { answersPage, judgedAnswers } from "./answers.ts";
import { billsPage } from "./bills.ts";
import { constraintsPage } from "./constraints.ts";
import { CONTENT_KINDS, type ContentKind } from "./exposures.ts";
import { outcomePage, pricePage } from "./figures.ts";
import { type GitFolder, gitFolder } from "./git-folder.ts";
import { type GradedRuns, javaRuns, liteRuns, terminalRuns, unmaskedRuns } from "./graded-runs.ts";
import { labelsPage } from "./labels.ts";
import { powerOfArea, powerOfRatio, smallestFound } from "./power.ts";
import { type RunRow, rowSchema, runRow } from "./run-row.ts";

const USAGE = `pnpm evidence read [--lite DIR] [--java DIR] [--terminal DIR] [--unmasked DIR]  prints a row of counts for each graded run of fetched repositories
pnpm evidence outcomes ROWS  prints whether what was missing predicts failure
pnpm evidence price ROWS  prints how often content is fetched again before and behind the line where it leaves
pnpm evidence answers DIR  prints whether passages that stand predict right answers (profff/lost-in-compaction)
pnpm evidence bills DIR  prints which published bills a replay can redo, and how well (Entelligentsia/tokbench)
pnpm evidence constraints DIR  prints how many side constraints our record of the state takes for orders (ZhiqiEliWang/compaction-integrity)
pnpm evidence labels learn|report MESSAGES FIRST SECOND  prints how far our record finds the orders that two readers marked in recorded messages
pnpm evidence power ROWS  prints the power of the protocol's tests, from lengths, grades and exposures alone
  --lite      nus-apr/auto-code-rover          --java  multi-swe-bench/experiments
  --terminal  laude-institute/terminal-bench-leaderboard
  --unmasked  wzh4464/ContextGraph`;

const SOURCES: Readonly<Record<string, (folder: GitFolder) => GradedRuns>> = {
  lite: liteRuns,
  java: javaRuns,
  terminal: terminalRuns,
  unmasked: unmaskedRuns,
};

async function read(folders: Readonly<Record<string, string | undefined>>): Promise<void> {
  for (const [name, runsOf] of Object.entries(SOURCES)) {
    const folder = folders[name];
    if (folder === undefined) continue;
    const opened = gitFolder(folder);
    const { runs, ungraded, withoutDialogue } = runsOf(opened);
    const counts = `${runs.length} runs, ${ungraded} without a grade, ${withoutDialogue} without a dialogue`;
    process.stderr.write(`${name}: commit ${opened.commit}: ${counts}\n`);
    for (const run of runs) process.stdout.write(`${JSON.stringify(await runRow(run))}\n`);
  }
}

/** The stored rows of a file. Throws `bad-input` naming the line that is none. */
function rowsIn(path: string | undefined): readonly RunRow[] {
  if (path === undefined) throw new PlimsollError("bad-input", "name the file of rows that `pnpm evidence read` printed", {});
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line, place) => {
    try {
      return rowSchema.parse(JSON.parse(line));
    } catch (cause) {
      const where = `${path}:${place + 1}`;
      throw new PlimsollError("bad-input", `${where}: no row; print the rows again`, { file: path, cause: String(cause) });
    }
  });
}

/** Rates before the line on the side that was looked at first: what the power of the ratio is made with (protocol). */
const FIT_RATES: Readonly<Record<ContentKind, number>> = { "file window": 0.0105, search: 0.029, "command output": 0.0139 };

function power(rows: readonly RunRow[]): void {
  for (const unit of ["task", "repository"] as const) {
    process.stdout.write(
      `area 0.60, ${unit}: ${powerOfArea(rows, { unit })}; area 0.50: ${powerOfArea(rows, { unit, shift: 0 })}; found in 0.80: ${smallestFound(rows, unit) ?? "none up to 0.65"}\n`,
    );
    for (const kind of CONTENT_KINDS)
      for (const ratio of [1, 1.5, 2]) {
        const found = powerOfRatio(rows, { kind, unit, rate: FIT_RATES[kind], ratio });
        process.stdout.write(`${kind} × ${ratio}, ${unit}: ${found}\n`);
      }
  }
}

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { lite: { type: "string" }, java: { type: "string" }, terminal: { type: "string" }, unmasked: { type: "string" } },
  });
  if (positionals[0] === "read") await read(values);
  else if (positionals[0] === "outcomes") process.stdout.write(`${outcomePage(rowsIn(positionals[1]))}\n`);
  else if (positionals[0] === "price") process.stdout.write(`${pricePage(rowsIn(positionals[1]))}\n`);
  else if (positionals[0] === "answers") {
    const folder = gitFolder(positionals[1] ?? ".");
    process.stdout.write(`commit ${folder.commit}\n${answersPage(judgedAnswers(folder))}\n`);
  } else if (positionals[0] === "bills") {
    const folder = gitFolder(positionals[1] ?? ".");
    process.stdout.write(`commit ${folder.commit}\n${billsPage(folder)}\n`);
  } else if (positionals[0] === "constraints") {
    const folder = gitFolder(positionals[1] ?? ".");
    process.stdout.write(`commit ${folder.commit}\n${constraintsPage(folder)}\n`);
  } else if (positionals[0] === "labels") {
    process.stdout.write(`${labelsPage(positionals.slice(2), positionals[1] === "report" ? "report" : "learn")}\n`);
  } else if (positionals[0] === "power") power(rowsIn(positionals[1]));
  else process.stdout.write(`${USAGE}\n`);
} catch (error) {
  if (!(error instanceof PlimsollError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
