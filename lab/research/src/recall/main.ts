import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allRecordedFiles, ROOT, recordedTranscripts } from "../recorded/recorded-sessions.ts";
import { fittedWeights } from "./fit-recall.ts";
import { type CutRhythm, recallObservations } from "./observations.ts";

/**
 * Fits the expected worth of a recalled passage, over the sessions of the side `fit` of lab/research/protocol-split.json, and writes the weights'
 * source file. The sessions are not part of the project.
 */
const { fit }: { readonly fit: readonly string[] } = JSON.parse(
  readFileSync(join(ROOT, "lab/research/protocol-split.json"), "utf8"),
);

/** Rooms of 64k and 128k above the overhead, as they fill again after a cut that leaves a third. */
const RHYTHMS: readonly CutRhythm[] = [
  { betweenTokens: 42_000, recentTokens: 3500 },
  { betweenTokens: 75_000, recentTokens: 7000 },
];

const files = allRecordedFiles().filter(({ displayName }) => fit.some((owner) => displayName.includes(`/${owner}__`)));
const transcripts = await recordedTranscripts(files);
const observed = transcripts
  .map((transcript) => RHYTHMS.map((rhythm) => ({ observations: recallObservations(transcript, rhythm) })))
  .filter((rhythms) => rhythms.some(({ observations }) => observations.length > 0));
if (observed.length === 0) {
  process.stderr.write("no recorded sessions of the side that is fitted on: set PLIMSOLL_TRANSCRIPTS to folders with some\n");
  process.exitCode = 1;
} else {
  const weights = fittedWeights(observed.flat()).map(([name, weight]) => `    ${name}: ${Number(weight.toFixed(3))},\n`);
  const source = `/** Weights of features as \`pnpm fit:recall\` fitted them, and on how many sessions of the side \`fit\` of docs/evidence.md that were long enough to be cut. */
export const USE_WEIGHTS = {
  date: "${new Date().toISOString().slice(0, 10)}",
  sessions: ${observed.length},
  weights: {
${weights.join("")}  },
};
`;
  writeFileSync(join(ROOT, "packages/core/src/memory/use-weights.ts"), source);
}
