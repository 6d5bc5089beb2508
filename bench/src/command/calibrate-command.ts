import { statSync } from "node:fs";
import { resolve } from "node:path";
import { writeWholeFile } from "@plimsoll/stores";
import type { Command } from "commander";
import { calibrateTranscripts } from "../calibrate/calibration-report.ts";
import { methodsFor } from "../calibrate/methods.ts";
import { predictionLines } from "../calibrate/predict-calls.ts";
import { importFile } from "../formats/registry.ts";
import { countedOnce, lineages } from "../lineage.ts";
import { calibrationAnswer, calibrationTables } from "../show/calibration-tables.ts";
import { lineageWords } from "../show/figures.ts";
import { namesOf } from "../show/problems.ts";
import { reportTable } from "../show/report-table.ts";
import { type CliIo, EXIT_FAILED, EXIT_OK, messageOf } from "../terminal/io.ts";
import { fitted, tableColumns, tell } from "../terminal/printable.ts";
import type { Transcript } from "../transcript.ts";
import { areAllMissing, type FoundInputs, findInputs } from "./find-inputs.ts";

interface CalibrateOptions {
  readonly json?: string;
  readonly out?: string;
}

/** Adds `plimsoll calibrate`: compares each way of measuring with the sizes that providers reported. */
export function defineCalibrateCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command
    .argument("<inputs...>", "session files, folders (and their subfolders) or patterns")
    .option("--json <file>", "write all errors as JSON")
    .option(
      "--out <file>",
      "write the ledger estimator's predictions, one JSON line per call: file, call, reported, predictedExpected, predictedUpper",
    )
    .action(async (inputs: readonly string[], options: CalibrateOptions) => onExit(await calibrateInputs(inputs, options, io)));
}

async function calibrateInputs(inputs: readonly string[], options: CalibrateOptions, io: CliIo): Promise<number> {
  const say = (line: string) => tell(io, line);
  const found = await findInputs(inputs, io.cwd);
  for (const { reason } of found.missing) say(reason);
  if (found.notSessions.length > 0) say(notSessionsLine(found.notSessions));
  const transcripts: Transcript[] = [];
  for (const { path, displayName } of found.files) {
    // Files below the one folder that was given are named by their path below it; all others keep the name that they were given or found by.
    const [folder = "", other] = inputs.map((input) => input.replace(/(?<!\/)\/+$/, ""));
    const isBelow = other === undefined && displayName.startsWith(`${folder}/`);
    const isFolder = isBelow && statSync(resolve(io.cwd, folder), { throwIfNoEntry: false })?.isDirectory() === true;
    const name = isFolder ? displayName.slice(folder.length + 1) : displayName;
    try {
      transcripts.push(...(await importFile(path, name)));
    } catch (error) {
      // One file that cannot be read must not end the others.
      say(messageOf(error));
    }
  }
  const { counts, in: sharedIn } = lineages(transcripts);
  const counted = transcripts.flatMap((transcript) => countedOnce(transcript, sharedIn(transcript.file)) ?? []);
  if (counts.repeatedAnswers > 0) say(lineageWords(counts));
  for (const { name, hasUsage, parentName } of counted)
    if (!hasUsage && parentName === null) say(`${name}: its agent reported no usage to compare with`);
  const calibration = calibrateTranscripts(counted, await methodsFor(counted));
  if (calibration.sessions.length === 0) {
    if (!areAllMissing(found)) say("nothing to calibrate on: no session with usage reports was found");
    return EXIT_FAILED;
  }
  const columns = tableColumns(io.stdout);
  const tables = calibrationTables(calibration.report);
  const shown = [
    calibrationAnswer(calibration.report),
    ...tables.map((table) => reportTable(table, columns)),
    CALIBRATION_READING,
  ];
  io.stdout.write(`${shown.map(fitted).join("\n\n")}\n`);
  const { json, out } = options;
  if (json !== undefined) writeWholeFile(resolve(io.cwd, json), `${JSON.stringify(calibration.report, null, 2)}\n`);
  if (out !== undefined) {
    const methods = calibration.sessions.flatMap((session) => session.methods);
    const calls = methods.flatMap((each) => (each.method === "ledger" ? each.calls : []));
    writeWholeFile(resolve(io.cwd, out), predictionLines(calls));
  }
  return EXIT_OK;
}

const CALIBRATION_READING =
  "within, margin: calls reported within the upper bound, and the bound's distance above them; all in % of the reported prompt";

function notSessionsLine(files: FoundInputs["notSessions"]): string {
  const count = files.length === 1 ? "1 file is not a session" : `${files.length} files are not sessions`;
  return `${count} and left out: ${namesOf(files.map(({ file, reason }) => `${file} (${reason})`))}`;
}
