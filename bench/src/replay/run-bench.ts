import { stat } from "node:fs/promises";
import { PlimsollError } from "@plimsoll/core";
import type { EnginePolicy, ModelPrices } from "@plimsoll/core/extend";
import type { WindowRequest } from "../drive/cell.ts";
import type { Lineages } from "../lineage.ts";
import { REFERENCES_VERSION } from "../needs/references.ts";
import { type Corpus, eachAtMost, type InputFile, openCorpus } from "../open/corpus.ts";
import { type RunDescription, shareOf } from "../results/run-identity.ts";
import type { BenchReport, PolicySweep, Shard } from "../results.ts";
import { DEFAULT_SUMMARIZER, type SummarizerChoice, type SummaryTally, summarizerName } from "../summaries/open-source.ts";
import type { FileReplay } from "./file-replayer.ts";
import type { FileTask, PlacedRow } from "./file-task.ts";
import type { ReplayState } from "./replay.ts";
import { createSerialPool, type WorkerPool } from "./worker-pool.ts";

/** Input of {@link runBench}: it replays each session of the files under every policy in every window. */
export interface BenchInput {
  readonly files: readonly InputFile[];
  readonly policies: readonly EnginePolicy[];
  readonly windows: readonly WindowRequest[];
  /** Places of policies in a sweep, by policy name; left out for policies that belong to none. */
  readonly sweeps?: ReadonlyMap<string, PolicySweep>;
  readonly plimsollVersion: string;
  /** Prices by model id, which come before those of the built-in catalogue. */
  readonly prices?: ReadonlyMap<string, ModelPrices>;
  /** The files, opened by the pool; this run opens them if it is left out. Give it to a run that is one of several over the same files. */
  readonly corpus?: Corpus;
  /** Replays this part of the files alone. */
  readonly shard?: Shard | null;
  /** Runs and measures the replays; this process alone if left out. The caller closes it. */
  readonly pool?: WorkerPool;
  /** The most tasks that the replays of one file are split into; 1 if left out. The report does not depend on it. */
  readonly tasksPerFile?: number;
  /** Who writes the summaries; the digest unless given. */
  readonly summarizer?: SummarizerChoice;
  /** Where finished cells are kept, so that the same run goes on where it was broken off; nowhere unless given. */
  readonly state?: ReplayState | null;
  readonly onProgress?: (progress: BenchProgress) => void;
  /** Called for each task with the number of replays that it took over from an earlier run. */
  readonly onKept?: (cells: number) => void;
  /** Called for each task with its requests for summaries by a model. */
  readonly onSummaries?: (tally: SummaryTally) => void;
}

/** Progress of a run, reported at its start and after each task. Work is in bytes of the files × policies × windows. */
export interface BenchProgress {
  readonly file: string;
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly workDone: number;
  readonly workTotal: number;
}

/**
 * Replays every session of the files under every policy in every window. Each worker has one file at a time, so that memory
 * grows with the largest files and not with their number. An input that cannot be read, or fails in a replay, is listed in
 * `skipped` with one line; everything else still runs. No clock, and rows in the order of the input however tasks
 * end: the same input gives the same report.
 *
 * @throws PlimsollError `bad-input` if a model's summary cannot be had: the provider failed, or the cassette lacks it.
 */
export async function runBench(input: BenchInput): Promise<BenchReport> {
  const { shard = null, pool = createSerialPool() } = input;
  // Before the files are shared out: a part counts what the whole run counts.
  const { lineages } = input.corpus ?? (await openCorpus(input.files, pool));
  const files = shareOf(input.files, shard).filter(({ displayName }) => lineages.hasOwn(displayName));
  const work = await Promise.all(files.map(bytesOf));
  const progress = createProgress(input, files, work);
  const replayed = await eachAtMost(files, pool.jobs, async (file, place) => {
    const replays = await Promise.all(
      tasksOf(file, input, lineages).map(async (task) => {
        const replay = await runTask(task, input, pool);
        progress(place, task.cells.length);
        return replay;
      }),
    );
    return joined(file, replays);
  });
  return {
    formatVersion: 7,
    ...describeRun(input),
    sessions: replayed.flatMap(({ sessions }) => sessions),
    rows: replayed.flatMap(({ rows }) => rows),
    skipped: replayed.flatMap(({ skipped }) => skipped),
    notes: replayed.flatMap(({ notes }) => notes),
    ...(lineages.counts.repeatedAnswers > 0 && { lineages: lineages.counts }),
  };
}

/** Describes a run as its report will, so that {@link checkResultFolder} can check a folder before the replays. */
export function describeRun({
  files,
  policies,
  sweeps,
  windows,
  shard = null,
  plimsollVersion,
  summarizer = DEFAULT_SUMMARIZER,
}: BenchInput): RunDescription {
  return {
    plimsollVersion,
    referencesVersion: REFERENCES_VERSION,
    shard,
    inputs: files.map(({ displayName }) => displayName),
    policies: policies.map((policy) => ({ name: policy.name, policy, sweep: sweeps?.get(policy.name) ?? null })),
    windows,
    summarizer: summarizerName(summarizer),
  };
}

async function runTask(task: FileTask, input: BenchInput, pool: WorkerPool): Promise<FinishedReplay> {
  const replay = await pool.run(task).catch(lostTask);
  if (replay.kind === "stopped") throw withoutSummary(replay.reason);
  if (replay.kind === "replayed") tell(input, replay);
  return replay;
}

type FileResult = Pick<BenchReport, "sessions" | "rows" | "skipped" | "notes">;

const NOTHING: FileResult = { sessions: [], rows: [], notes: [], skipped: [] };

type FinishedReplay = Exclude<FileReplay, { readonly kind: "stopped" }>;

/** Puts a file's tasks together. The first that says why the file cannot be replayed speaks for all of them. */
function joined({ displayName: file }: InputFile, replays: readonly FinishedReplay[]): FileResult {
  const rows: PlacedRow[] = [];
  for (const replay of replays) {
    if (replay.kind === "skipped") return { ...NOTHING, skipped: [{ file, reason: replay.reason }] };
    rows.push(...replay.rows);
  }
  const inOrder = rows.toSorted((a, b) => a.session - b.session || a.cell - b.cell);
  const [first] = replays;
  if (first?.kind !== "replayed") return NOTHING;
  const { sessions, notes } = first;
  return { sessions, notes, rows: inOrder.map(({ row }) => row), skipped: [] };
}

/** Splits a file's cells into tasks of about the same work: neighbours, which are alike, go to different tasks. */
function tasksOf(file: InputFile, input: BenchInput, lineages: Lineages): readonly FileTask[] {
  const { policies, windows, prices = new Map(), tasksPerFile = 1, summarizer = DEFAULT_SUMMARIZER } = input;
  const { state = null } = input;
  const shared = lineages.in(file.displayName);
  const cellCount = policies.length * windows.length;
  const count = Math.max(1, Math.min(tasksPerFile, cellCount));
  return Array.from({ length: count }, (_, task) => {
    const cells = Array.from({ length: cellCount }, (_, cell) => cell).filter((cell) => cell % count === task);
    return { file, policies, windows, cells, prices, summarizer, shared, state };
  });
}

function tell({ onSummaries, onKept }: BenchInput, replay: Extract<FileReplay, { readonly kind: "replayed" }>): void {
  onSummaries?.(replay.summaries);
  onKept?.(replay.cellsKept);
}

function withoutSummary(reason: string): PlimsollError {
  return new PlimsollError(
    "bad-input",
    `a summary cannot be had: ${reason}; answers so far are kept, the same command goes on`,
  );
}

/** A worker that died, of want of memory for instance, costs its file and no other. */
function lostTask(error: unknown): FinishedReplay {
  return { kind: "skipped", reason: `cannot be replayed: ${error instanceof Error ? error.message : String(error)}` };
}

async function bytesOf({ path }: InputFile): Promise<number> {
  // A file that is not there is said by its task; a session of a database is one of many alike.
  return (await stat(path).catch(() => null))?.size ?? 1;
}

function createProgress(
  { policies, windows, onProgress }: BenchInput,
  files: readonly InputFile[],
  bytes: readonly number[],
): (place: number, cells: number) => void {
  const cellsTotal = policies.length * windows.length;
  const cellsLeft = files.map(() => cellsTotal);
  const workTotal = bytes.reduce((sum, size) => sum + size * cellsTotal, 0);
  let workDone = 0;
  const say = (place: number) => {
    const filesDone = cellsLeft.filter((left) => left <= 0).length;
    onProgress?.({ file: files[place]?.displayName ?? "", filesDone, filesTotal: files.length, workDone, workTotal });
  };
  say(0);
  return (place, cells) => {
    cellsLeft[place] = (cellsLeft[place] ?? 0) - cells;
    workDone += (bytes[place] ?? 0) * cells;
    say(place);
  };
}
