import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { RecordedFile } from "../recorded/recorded-sessions.ts";
import { allRecordedFiles, RECORDED_FOLDER, ROOT, recordedFiles, recordedTranscripts } from "../recorded/recorded-sessions.ts";
import { figuresSources } from "./figures-source.ts";
import { fitFigures } from "./fit-figures.ts";
import { heldOutCalls, heldOutPage, type RecordedSession } from "./held-out.ts";
import { observationsOf } from "./observations.ts";

/**
 * Measures the estimators on recorded sessions, which are not part of the project, and writes estimators.md: both folders by set, side, format, model and
 * position, each session predicted by figures of other repositories. `pnpm calibrate --refit` fits weights and priors anew on both folders and writes their
 * source files; run it again to use them.
 */
const { values } = parseArgs({ options: { refit: { type: "boolean", default: false } } });
const PAGE = join(ROOT, "estimators.md");

if (recordedFiles().length === 0) {
  process.stderr.write(`${RECORDED_FOLDER}: no recorded sessions; set PLIMSOLL_TRANSCRIPTS to a folder with some\n`);
  process.exitCode = 1;
} else if (values.refit) {
  const observed = (await bothFolders())
    .filter(({ transcript }) => transcript.parentName === null)
    .map(({ transcript }) => observationsOf(transcript));
  const fitted = fitFigures(observed, new Date().toISOString().slice(0, 10));
  for (const { path, text } of figuresSources(fitted)) writeFileSync(join(ROOT, path), text);
} else {
  const calls = heldOutCalls(await bothFolders(), sideOf());
  writeFileSync(PAGE, `# Errors of the estimators\n\n${heldOutPage(calls)}\n`);
}

/** The sessions of both folders. A file of a format that nothing reads yet is named and left out. */
async function bothFolders(): Promise<readonly RecordedSession[]> {
  const first = new Set(recordedFiles().map(({ path }) => path));
  const read = async (file: RecordedFile): Promise<readonly RecordedSession[]> => {
    const set = first.has(file.path) ? "transcripts" : "compactions";
    return (await recordedTranscripts([file])).map((transcript) => ({ transcript, set }));
  };
  const sessions = await Promise.allSettled(allRecordedFiles().map(read));
  for (const session of sessions) if (session.status === "rejected") process.stderr.write(`left out: ${session.reason}\n`);
  return sessions.flatMap((session) => (session.status === "fulfilled" ? session.value : []));
}

/** The side of a session's owner, by lab/research/protocol-split.json. */
function sideOf(): (file: string) => string {
  const split: { readonly fit: readonly string[]; readonly choose: readonly string[] } = JSON.parse(
    readFileSync(join(ROOT, "lab/research/protocol-split.json"), "utf8"),
  );
  return (file) => {
    const owner = file.slice(file.lastIndexOf("/") + 1).split("__")[0] ?? "";
    return split.fit.includes(owner) ? "fit" : split.choose.includes(owner) ? "choose" : "report";
  };
}
