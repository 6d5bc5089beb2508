import { importFile } from "@plimsoll/bench";
import { chosenOf, numberAbove0, optionsOf } from "../options.ts";
import { sayStep } from "../say-step.ts";
import { doublingSamples, HALVES, halvedSamples } from "./doubling-stages.ts";
import { type DoubledStage, doublingTable, halvesTable } from "./doubling-table.ts";
import { fitSamples } from "./fit-stages.ts";
import { logSamples } from "./log-stages.ts";
import { createMeter } from "./meter.ts";
import { profileStages, type SelfTime, type StageProfiles } from "./self-times.ts";
import { parseOf, runFileStages, runPrepareStages, runReplayStages } from "./session-stages.ts";
import { sizeOf, speedFiles } from "./speed-files.ts";
import { formatTable, type MeasuredStage, speedTable } from "./speed-table.ts";

const USAGE = `pnpm speed: how many times JSON.parse of the same bytes each stage takes, in
processor time of one process, over recorded sessions if they are there, else
the bundled ones

  --part NAME    files (import, and what is kept), prepare, sessions (replays),
                 doubling, halves (recorded sessions against their first
                 half), log or fit; again for several, all if none is named
  --all          all recorded sessions, not the smallest of each format
  --formats      a table by format of what is measured over sessions
  --rounds N     so many count, and one more before them warms up (3)
  --messages N   of the log and the fit (100000)
  --profile      the functions in which each stage spends its time; makes the
                 stages slower`;

const values = optionsOf(USAGE, {
  part: { type: "string", multiple: true, default: [] },
  all: { type: "boolean", default: false },
  formats: { type: "boolean", default: false },
  rounds: { type: "string", default: "3" },
  messages: { type: "string", default: "100000" },
  profile: { type: "boolean", default: false },
});
const ROUNDS = numberAbove0("rounds", values.rounds);
const TOP_COUNT = 10;
const PARTS = {
  files: (profile: StageProfiles | null) => recordedPart("files", runFileStages, profile),
  prepare: (profile: StageProfiles | null) => recordedPart("prepare", runPrepareStages, profile),
  sessions: (profile: StageProfiles | null) => recordedPart("sessions", runReplayStages, profile),
  log: (profile: StageProfiles | null) => longPart("log", logSamples, profile),
  fit: (profile: StageProfiles | null) => longPart("fit", fitSamples, profile),
};

async function recordedPart(
  part: string,
  runStages: typeof runFileStages,
  profile: StageProfiles | null,
): Promise<readonly MeasuredStage[]> {
  const measured: MeasuredStage[] = [];
  const files = speedFiles(values.all);
  for (const [index, file] of files.entries()) {
    sayStep(`${part} ${index + 1}/${files.length}: ${file.displayName}`);
    const limit = parseOf(file);
    await runStages(file, await createMeter(limit));
    const meter = await createMeter(limit, { hooks: profile?.hooks });
    for (let round = 0; round < ROUNDS; round++) await runStages(file, meter);
    measured.push(...meter.samples().map((sample) => ({ ...sample, of: file.displayName, weight: sizeOf(file) })));
  }
  return measured;
}

async function doublingPart(): Promise<readonly DoubledStage[]> {
  const measured: DoubledStage[] = [];
  for (const half of HALVES)
    for (let round = 0; round < ROUNDS; round++) {
      sayStep(`doubling ${half} messages, round ${round + 1}/${ROUNDS}`);
      measured.push(...(await doublingSamples(half)));
    }
  return measured;
}

async function halvesPart(): Promise<readonly DoubledStage[]> {
  const measured: DoubledStage[] = [];
  const files = speedFiles(values.all);
  for (const [index, { path, displayName }] of files.entries()) {
    sayStep(`halves ${index + 1}/${files.length}: ${displayName}`);
    for (const transcript of await importFile(path, displayName)) measured.push(...(await halvedSamples(transcript)));
  }
  return measured;
}

async function longPart(
  part: string,
  samplesOf: typeof logSamples,
  profile: StageProfiles | null,
): Promise<readonly MeasuredStage[]> {
  sayStep(`${part} of ${values.messages} messages`);
  const samples = await samplesOf(Number(values.messages), { rounds: ROUNDS, hooks: profile?.hooks });
  return samples.map((sample) => ({ ...sample, of: "made", weight: 1 }));
}

/** Their tables have columns of their own. */
const DOUBLING = "doubling";
const HALVED = "halves";
const chosen = chosenOf("part", values.part, [...Object.keys(PARTS), DOUBLING, HALVED]);
const profile = values.profile ? await profileStages() : null;
const measured: MeasuredStage[] = [];
for (const [name, part] of Object.entries(PARTS)) if (chosen.includes(name)) measured.push(...(await part(profile)));
if (measured.length > 0) process.stdout.write(speedTable(measured));
if (values.formats) process.stdout.write(formatTable(measured));
if (chosen.includes(DOUBLING)) process.stdout.write(doublingTable(await doublingPart()));
if (chosen.includes(HALVED)) process.stdout.write(halvesTable(await halvesPart()));
if (profile !== null)
  for (const stage of new Set(measured.map((each) => each.stage)))
    process.stdout.write(selfTimesText(stage, profile.top(stage, TOP_COUNT)));

function selfTimesText(stage: string, top: readonly SelfTime[]): string {
  if (top.length === 0) return "";
  const lines = top.map(({ functionName, ratio }) => `${(100 * ratio).toFixed(1).padStart(5)} % ${functionName}`);
  return `\n${stage}: self time\n${lines.join("\n")}\n`;
}
