import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { RECORDED_FOLDER, ROOT, recordedTranscripts } from "../recorded/recorded-sessions.ts";
import { estimatorsPage } from "./estimators-page.ts";
import { figuresSources } from "./figures-source.ts";
import { fitFigures } from "./fit-figures.ts";
import { observationsOf } from "./observations.ts";

/**
 * Measures the estimators on recorded sessions and writes the figures of docs/estimators.md; with `--refit` it first fits the weights and
 * priors anew and writes their source files (run it again to use them). The sessions are not part of the project.
 */
const { values } = parseArgs({ options: { refit: { type: "boolean", default: false } } });
const BEGIN = "<!-- figures: written by `pnpm calibrate` -->";
const END = "<!-- end of figures -->";

const transcripts = await recordedTranscripts();
if (transcripts.length === 0) {
  process.stderr.write(`${RECORDED_FOLDER}: no recorded sessions; set PLIMSOLL_TRANSCRIPTS to a folder with some\n`);
  process.exitCode = 1;
} else if (values.refit) {
  const observed = transcripts.filter(({ parentName }) => parentName === null).map(observationsOf);
  const fitted = fitFigures(observed, new Date().toISOString().slice(0, 10));
  for (const { path, text } of figuresSources(fitted)) writeFileSync(join(ROOT, path), text);
} else {
  const page = join(ROOT, "docs/estimators.md");
  const [before, rest = ""] = readFileSync(page, "utf8").split(BEGIN);
  const after = rest.split(END)[1] ?? "\n";
  writeFileSync(page, `${before}${BEGIN}\n\n${estimatorsPage(transcripts)}\n${END}${after}`);
}
